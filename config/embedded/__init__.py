"""Rackside on one machine: PostgreSQL, Valkey and every process of the service as children of one supervisor.

Where to look:

    __main__.py     the sub-commands of ./rackside
    commands/       what each sub-command does, step by step
    instance.py     one data folder with its services and the environment its programs get
    stack.py        the programs of a full stack, in the order they start
    supervisor.py   starts programs, watches them, stops them in order
    guard.py        the process that stops everything when the supervisor itself is killed
    data_folder.py  paths, lock, secrets and stamps of a data folder
    postgres.py     the embedded PostgreSQL; valkey.py the embedded Valkey
    progress.py     what the person at the terminal sees

Nothing here is used by a deployment with its own PostgreSQL and Valkey (docker-compose.yml).
"""
