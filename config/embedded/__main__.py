"""The sub-commands of ./rackside, run inside the virtual environment: `python -m config.embedded COMMAND ...`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from config.embedded.arguments import VAR, parse
from config.embedded.commands import launch, maintenance, suites
from config.embedded.instance import Instance
from config.embedded.progress import LaunchError, Progress, errors_as_exit_status


def only_data_folder() -> Path:
    """The data folder that a command without --data means: the one that runs, or the only one there is."""
    there = [VAR / name for name in ("site", "demo") if (VAR / name).exists()]
    candidates = [path for path in there if Instance(path, Progress()).folder.owner() is not None] or there
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        todo = "Start ./rackside demo or ./rackside run first, or give --data."
        raise LaunchError("There is no data folder yet.", todo)
    raise LaunchError("Which data folder?", f"Give --data {' or --data '.join(str(path) for path in candidates)}.")


def carry_out(chosen: argparse.Namespace, progress: Progress) -> int:
    """Do what was asked; the exit status."""
    if chosen.command == "check":
        return suites.check(progress)
    if chosen.command == "test":
        return suites.test(chosen.arguments, progress, everything=chosen.all)
    if chosen.command == "bench":
        return suites.bench(chosen.arguments, progress)
    data = chosen.data or only_data_folder()
    instance = Instance(data, progress, host=getattr(chosen, "host", "127.0.0.1"), port=getattr(chosen, "port", 8000))
    match chosen.command:
        case "demo":
            launch.demo(
                instance,
                machines=chosen.machines,
                bare=chosen.bare,
                faults_per_hour=chosen.faults_per_hour,
                fresh=chosen.fresh,
                past_days=chosen.past,
            )
        case "run":
            launch.run(instance)
        case "backup":
            maintenance.backup(instance, chosen.file, passphrase_file=chosen.passphrase_file)
        case "restore":
            maintenance.restore(
                instance,
                chosen.file,
                replace=chosen.replace,
                passphrase_file=chosen.passphrase_file,
                keys=chosen.keys,
                new_keys=chosen.new_keys,
            )
        case "upgrade":
            maintenance.upgrade(instance)
        case "status":
            return maintenance.status(instance)
        case "manage":
            return maintenance.manage(instance, chosen.arguments or ["help"])
    return 0


def main() -> int:
    progress = Progress()
    with errors_as_exit_status(progress):
        return carry_out(parse(sys.argv[1:]), progress)


if __name__ == "__main__":
    sys.exit(main())
