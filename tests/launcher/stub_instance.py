"""An instance with real PostgreSQL and Valkey and three stub programs: `python -m tests.launcher.stub_instance DATA`.

The stubs note in DATA/order.txt when they are told to stop. `pool` has two children that ignore SIGTERM, as a stuck
pool process of a worker would. Prints `ready` when all is up; `--dies NAME` makes that stub end by itself, again and
again, and with `--at-start` before it is ready. With `--preload` the stubs are forked from a process that has loaded
the service.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from config.embedded.instance import Instance
from config.embedded.programs.supervisor import Program
from config.embedded.progress import Progress, errors_as_exit_status

STUB = Path(__file__).with_name("stub_program.py")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--dies", default="-")
    parser.add_argument("--at-start", action="store_true")
    parser.add_argument("--preload", action="store_true")
    chosen = parser.parse_args()
    instance = Instance(chosen.data, Progress())

    def stub(name: str) -> Program:
        order = str(instance.folder.path / "order.txt")
        log = instance.folder.log(name)
        return Program(
            name,
            [sys.executable, str(STUB), name, order, chosen.dies, "yes" if chosen.at_start else ""],
            {**os.environ, "STUB": name},
            ready=lambda: log.exists() and f"{name} is up" in log.read_text(),
            forked=chosen.preload,
        )

    with errors_as_exit_status(instance.progress), instance.opened(preload=chosen.preload):
        with instance.postgres.connect() as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS kept (id int PRIMARY KEY)")
        instance.supervisor.start(stub("first"))
        instance.supervisor.start(stub("pool"))
        instance.supervisor.start(stub("last"))
        instance.supervisor.wait_ready()
        print("ready", flush=True)
        instance.supervisor.watch(lambda: None)


if __name__ == "__main__":
    main()
