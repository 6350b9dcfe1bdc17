"""`runs explain`: why a training run ended, from files alone. Pure: needs no Django, no settings, no database."""

from __future__ import annotations

import gc
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from runs.explanation import as_text, explain


class Out(Protocol):
    """Where the answer goes: a file, or what stands for one in a management command."""

    def write(self, text: str, /) -> Any: ...


class Failed(Exception):
    """Why there is no answer."""


def add_arguments(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    each = actions.add_parser("explain", help="say why a run ended, hangs or is slow")
    each.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="files or folders: logs of ranks, flight-recorder dumps, py-spy dumps, sacct --json, machine events as "
        "JSON lines",
    )
    each.add_argument("--json", action="store_true", help="as JSON")
    shape = actions.add_parser("shape", help="name the shape of a run's curve, from the step lines of a rank's log")
    shape.add_argument("paths", nargs="+", metavar="LOG", help="logs of one rank each")
    shape.add_argument("--pattern", help="a regular expression with groups step, seconds, ms, rate; {n} is a number")
    shape.add_argument("--expected", type=float, metavar="SECONDS", help="a step as it should be")
    shape.add_argument("--json", action="store_true", help="as JSON")


def main(arguments: Sequence[str]) -> int:
    """The command as a program; returns its exit status."""
    parser = ArgumentParser(prog="manage.py runs", description="Training runs from their files; no database is needed.")
    add_arguments(parser)
    try:
        run(parser.parse_args(arguments), sys.stdout)
    except Failed as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def run(options: Namespace, out: Out) -> None:
    """Write the answer. Raises Failed where a path cannot be read at all."""
    gc.disable()  # a run of seconds that makes no circles
    paths = [Path(path) for path in options.paths]
    for path in paths:
        if not path.exists():
            raise Failed(f"{path}: no such file or folder")
    if options.action == "shape":
        from runs.slowness.shape_of_log import shapes_of  # explain starts without it

        try:
            out.write(shapes_of(paths, options.pattern, options.expected, as_json=options.json))
        except ValueError as error:
            raise Failed(str(error)) from error
        return
    explanation = explain(paths)
    if options.json:
        out.write(json.dumps(explanation.as_json(), indent=1, ensure_ascii=False) + "\n")
    else:
        out.write(as_text(explanation) + "\n")
