"""Load from several machines, as if from one, over `dask.distributed`."""
