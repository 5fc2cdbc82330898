"""What does this weight do?

A sweep measures every value on every recording of a dataset. What a value does not touch is not measured again, so many
values cost little more than one. A score shows what a weight of its own does and cannot judge it: without the weight it
is higher. So the best value is no winner; only a measure that is made of nothing that was swept can name one.
"""

from concurrent.futures import ThreadPoolExecutor

import workbench as wb

dataset = wb.datasets.bundled().only("hill_road", "top_of_the_hour")
plan = wb.SweepPlan((wb.read_axis("models.seams.pulse_weight=0:1:5"),), dataset, seconds=180.0)
# Threads will do for two recordings; without an executor, each core has a process.
found = wb.sweep(wb.open(), plan, "sweep.zarr", executor=ThreadPoolExecutor(2))

print(found["best_seam"].to_pandas().round(3))
best = wb.winner(found, "best_seam")
print("best:", best.point, "and the winner" if best.sure else "but no winner; made of", *best.made_of)
