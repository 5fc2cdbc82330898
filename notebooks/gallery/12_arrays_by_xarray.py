"""How do I read what is cached, without this package?

Every cached analysis is a zarr file with named axes, units and the name of the recording. xarray alone opens it; only
the first three lines here, which make one, are ours.
"""

import workbench as wb

workspace = wb.open()
wb.analyze(workspace, wb.bundled_path("data", "bundled", "music", "hill_road.ogg"))

import xarray
from zarr.storage import ZipStore

path = next(workspace.home.arrays.rglob("*.loops.*.zip"))
with ZipStore(path, mode="r") as archive:
    print(xarray.open_zarr(archive, chunks=None, consolidated=False).load())
