"""What can be said to ./rackside: its commands and their options.

Only the standard library is used, and no other module of the project: `./rackside COMMAND --help` reads this file by
its path and answers before anything of the service is imported, also where nothing is installed yet.
"""

from __future__ import annotations

import argparse
from pathlib import Path

VAR = Path(__file__).resolve().parents[2] / "var"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rackside",
        description="Rackside: the live inventory, health and repair desk of a GPU fleet.",
        epilog="Each command has its own --help. The rest is in docs/operations.md.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    demo = commands.add_parser("demo", help="a hall of 511 virtual machines, checked and shown live")
    demo.add_argument("--machines", type=positive, metavar="N", help="size of the fleet (511)")
    demo.add_argument("--bare", type=int, default=4, metavar="N", help="further machines without a system (4)")
    demo.add_argument("--faults-per-hour", type=float, default=12.0, metavar="R", help="random faults; 0 for none (12)")
    demo.add_argument("--past", type=int, default=90, metavar="DAYS", help="made-up history; 0 for none (90)")
    demo.add_argument("--port", type=int, default=8000, help="HTTP port on this machine (8000)")
    demo.add_argument("--data", type=Path, default=VAR / "demo", metavar="DIR", help="data folder (var/demo)")
    demo.add_argument("--fresh", action="store_true", help="erase the data folder first")

    run = commands.add_parser("run", help="the same stack for a real small site, without hall and sample data")
    run.add_argument("--port", type=int, default=8000, help="HTTP port (8000)")
    run.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1; 0.0.0.0 for all)")
    run.add_argument("--data", type=Path, default=VAR / "site", metavar="DIR", help="data folder (var/site)")

    commands.add_parser("check", help="format, lint and types, without a test")

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
