"""Is my profile better than the default?

Two profiles are compared on the same recordings, pair by pair. The difference comes with an interval where there are
recordings enough, and what changed to the ear can be heard under both.
"""

from concurrent.futures import ThreadPoolExecutor

import workbench as wb
from workbench.params import SeamParams

dataset = wb.datasets.bundled().only("hill_road", "top_of_the_hour")
bolder = wb.WorkbenchParams(seams=SeamParams(harmony_weight=0.2))
# Threads will do for two recordings; without an executor, each core has a process.
comparison = wb.compare(None, bolder, dataset, seconds=180.0, executor=ThreadPoolExecutor(2))

print(comparison.summary().round(3).to_string())
print("sound different:", ", ".join(comparison.changed) or "none")
