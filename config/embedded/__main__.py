"""The sub-commands of ./rackside, run inside the virtual environment: `python -m config.embedded COMMAND ...`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from config.embedded.commands import keeping, running, testing
from config.embedded.instance import ROOT, Instance
from config.embedded.progress import LaunchError, Progress, errors_as_exit_status

VAR = ROOT / "var"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rackside",
        description="Rackside: the live inventory, health and repair desk of a GPU fleet.",
        epilog="Each command has its own --help. docs/operations.md tells the rest.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    demo = commands.add_parser("demo", help="a hall of 511 virtual machines, checked and shown live")
    demo.add_argument("--machines", type=positive, metavar="N", help="size of the fleet (511)")
    demo.add_argument("--bare", type=int, default=4, metavar="N", help="further machines without a system (4)")
    demo.add_argument("--faults-per-hour", type=float, default=12.0, metavar="R", help="random faults; 0 for none (12)")
    demo.add_argument("--port", type=int, default=8000, help="HTTP port on this machine (8000)")
    demo.add_argument("--data", type=Path, default=VAR / "demo", metavar="DIR", help="data folder (var/demo)")
    demo.add_argument("--fresh", action="store_true", help="erase the data folder first")

    run = commands.add_parser("run", help="the same stack for a real small site, without hall and sample data")
    run.add_argument("--port", type=int, default=8000, help="HTTP port (8000)")
    run.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1; 0.0.0.0 for all)")
    run.add_argument("--data", type=Path, default=VAR / "site", metavar="DIR", help="data folder (var/site)")

    test = commands.add_parser("test", help="install what the tests need and run them, or those named")
    test.add_argument("--all", action="store_true", help="also the slow ones: long trials, large sweeps of seeds")
    test.add_argument("arguments", nargs=argparse.REMAINDER, metavar="PATHS", help="paths and options of pytest")

    bench = commands.add_parser("bench", help="measure this machine with the reference fleet")
    bench.add_argument("arguments", nargs=argparse.REMAINDER, metavar="NAMES", help="see bench --help")

    backup = commands.add_parser("backup", help="write a running or stopped instance into one file")
    backup.add_argument("file", type=Path, help="new tar file; never overwritten")
    backup.add_argument("--data", type=Path, metavar="DIR")
    backup.add_argument(
        "--passphrase-file",
        type=Path,
        metavar="FILE",
        help="put the keys into the backup, sealed with this passphrase (or variable RACKSIDE_BACKUP_PASSPHRASE)",
    )

    restore = commands.add_parser("restore", help="read a backup into a stopped or fresh data folder")
    restore.add_argument("file", type=Path)
    restore.add_argument("--data", type=Path, default=VAR / "site", metavar="DIR", help="data folder (var/site)")
    restore.add_argument("--replace", action="store_true", help="put the backup in the place of the data there")
    restore.add_argument("--passphrase-file", type=Path, metavar="FILE", help="opens the keys sealed in the backup")
    restore.add_argument("--keys", type=Path, metavar="DIR", help="the folder `secrets` of the old data folder")
    restore.add_argument("--new-keys", action="store_true", help="without the old keys: credentials are entered again")

    upgrade = commands.add_parser("upgrade", help="after new code: packages, dashboard, backup, migrations")
    upgrade.add_argument("--data", type=Path, default=VAR / "site", metavar="DIR", help="data folder (var/site)")

    status = commands.add_parser("status", help="what runs, with memory and processor time")
    status.add_argument("--data", type=Path, metavar="DIR")

    manage = commands.add_parser("manage", help="a management command inside an instance: manage load_fleet FILE")
    manage.add_argument("--data", type=Path, metavar="DIR")
    manage.add_argument("arguments", nargs=argparse.REMAINDER, metavar="COMMAND", help="try: manage help")
    return parser


def parse(words: list[str]) -> argparse.Namespace:
    """What was asked. Words for pytest and benchmarks are handed on: argparse would refuse a leading `-k`."""
    if words[:1] not in (["test"], ["bench"]) or words[1:2] in (["-h"], ["--help"]):
        return build_parser().parse_args(words)
    chosen = build_parser().parse_args(words[:1])
    chosen.all = "--all" in words
    chosen.arguments = [word for word in words[1:] if word != "--all"]
    return chosen


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


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
    if chosen.command == "test":
        return testing.test(chosen.arguments, progress, everything=chosen.all)
    if chosen.command == "bench":
        return testing.bench(chosen.arguments, progress)
    data = chosen.data or only_data_folder()
    instance = Instance(data, progress, host=getattr(chosen, "host", "127.0.0.1"), port=getattr(chosen, "port", 8000))
    match chosen.command:
        case "demo":
            running.demo(
                instance,
                machines=chosen.machines,
                bare=chosen.bare,
                faults_per_hour=chosen.faults_per_hour,
                fresh=chosen.fresh,
            )
        case "run":
            running.run(instance)
        case "backup":
            keeping.backup(instance, chosen.file, passphrase_file=chosen.passphrase_file)
        case "restore":
            keeping.restore(
                instance,
                chosen.file,
                replace=chosen.replace,
                passphrase_file=chosen.passphrase_file,
                keys=chosen.keys,
                new_keys=chosen.new_keys,
            )
        case "upgrade":
            keeping.upgrade(instance)
        case "status":
            return keeping.status(instance)
        case "manage":
            return keeping.manage(instance, chosen.arguments or ["help"])
    return 0


def main() -> int:
    progress = Progress()
    with errors_as_exit_status(progress):
        return carry_out(parse(sys.argv[1:]), progress)


if __name__ == "__main__":
    sys.exit(main())
