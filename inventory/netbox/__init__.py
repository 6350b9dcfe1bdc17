"""Moving in from a live NetBox: read its rows, map them to ours, write them, and say what stays behind.

`reading` keeps what NetBox answered until the run is done, so that a run that broke off continues. The mapping modules
(`places`, `types`, `devices`, `ports`, `cables`, `power`, `labels`, `parts`) are pure: no network, no database. `run`
brings them together. The connection itself comes from a room above (`source.register`): only those talk to the world.
"""
