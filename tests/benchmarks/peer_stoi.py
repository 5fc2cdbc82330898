"""How intelligible speech is, by ESTOI: run by the environment that has pystoi, for the mix benchmark.

    .venv/peers-mix/bin/python tests/benchmarks/peer_stoi.py PAIRS.npz

PAIRS holds `rate` and, for each k, `clean_k` and `heard_k`, mono. Prints a JSON list of ESTOI (Jensen and Taal, 2016).
"""

from __future__ import annotations

import json
import sys

import numpy as np
from pystoi import stoi


def main(path: str) -> None:
    """Read pairs, print what is understood of each."""
    with np.load(path) as pairs:
        rate, count = int(pairs["rate"]), (len(pairs.files) - 1) // 2
        found = [stoi(pairs[f"clean_{k}"], pairs[f"heard_{k}"], rate, extended=True) for k in range(count)]
    print(json.dumps([round(float(value), 4) for value in found]))


if __name__ == "__main__":
    main(sys.argv[1])
