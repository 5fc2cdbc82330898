"""How many threads the linear algebra of a process uses: one, unless its user says otherwise.

The products that an analysis takes are small. A second thread spends more processor time on waiting for its next piece
than it saves, half a second of a short track's three, and jobs run beside each other anyway. With one thread the last
bits of a sum do not depend on the machine's cores either. numpy reads these variables when it is imported, so they are
set before. This module imports nothing.
"""

from __future__ import annotations

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""by environment variable; those that are set already stay as they are"""
