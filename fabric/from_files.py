"""`fabric diagnose`: a fabric against its plan, from files alone. Pure: needs no Django, no settings, no database.

`manage.py` comes here without loading the service, whose import costs more than the diagnosis of 12,280 links;
`python -m fabric diagnose` does the same.
"""

from __future__ import annotations

import gc
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from fabric.facts import Completeness, Plan, Problem, Seen
from fabric.formats import Unreadable, iblinkinfo, ibnetdiscover, ibqueryerrors, merge, text_of, told
from fabric.formats.common import lower
from fabric.formats.plan_files import read_plan
from fabric.reconcile.diagnose import Settings, diagnose
from fabric.reconcile.report import as_json, as_text

NOTHING_CONCLUDED = 3
"""Exit status where the files could be read, but nothing can be concluded from them. A file that cannot be read: 1."""
MOST_TOLD = 20


class Out(Protocol):
    """Where the answer goes: a file, or what stands for one in a management command."""

    def write(self, text: str, /) -> Any: ...


class Failed(Exception):
    """Why there is no answer, with the exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def add_arguments(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    each = actions.add_parser("diagnose", help="compare what was seen with the plan")
    each.add_argument("--plan", required=True, help="cable,a_device,a_port,b_device,b_port, or an NDT file")
    each.add_argument("--observed", required=True, help="output of ibnetdiscover (or of iblinkinfo)")
    each.add_argument("--links", help="output of iblinkinfo: ports that are down, and what ends could do")
    each.add_argument("--errors", help="output of ibqueryerrors")
    each.add_argument("--moves", action="store_true", help="list the moves in words")
    each.add_argument("--json", action="store_true", help="as JSON")
    each.add_argument(
        "--accept-anyway", action="store_true", help="conclude also when so much is missing that the files are doubted"
    )


def main(arguments: Sequence[str]) -> int:
    """The command as a program; returns its exit status."""
    parser = ArgumentParser(
        prog="manage.py fabric",
        description="Read files of a fabric and say what is plugged in wrongly. Files may be gzipped; no database is "
        "needed.",
    )
    add_arguments(parser)
    try:
        run(parser.parse_args(arguments), sys.stdout)
    except Failed as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.status
    return 0


def run(options: Namespace, out: Out) -> None:
    """Write the answer. Raises Failed; what can be said is written before that."""
    gc.disable()  # a run of seconds that makes no circles
    try:
        plan, seen = read(options.plan, options.observed, options.links, options.errors)
    except Unreadable as error:
        problems = [told(problem) for problem in error.problems]
        more = len(problems) - MOST_TOLD
        rest = [f"and {more} more"] if more > 0 else []
        raise Failed("\n".join(["refused:", *problems[:MOST_TOLD], *rest])) from None
    settings = Settings(guard_share=1.0) if options.accept_anyway else Settings()
    diagnosis = diagnose(plan, seen, settings=settings)
    if options.json:
        answer = as_json(diagnosis, plan, seen, words=options.moves)
        out.write(json.dumps(answer, indent=1, ensure_ascii=False) + "\n")
    else:
        out.write(as_text(diagnosis, plan, seen, moves=options.moves) + "\n")
    if diagnosis.held_back is not None:
        raise Failed(f"nothing is concluded: {diagnosis.held_back}", NOTHING_CONCLUDED)


def read(plan: str, observed: str, links: str | None, errors: str | None) -> tuple[Plan, Seen]:
    """The files as facts. Raises Unreadable, with file, line and reason."""
    planned = read_plan(_text(plan), plan)
    parts = [_read(observed, ibnetdiscover.read, iblinkinfo.read)]
    missing_data = parts[0].completeness in (Completeness.EMPTY, Completeness.TRUNCATED)
    if links:
        parts.append(_read(links, iblinkinfo.read, ibnetdiscover.read))
    if errors:
        parts.append(_read(errors, ibqueryerrors.read))
    whole = merge(parts)
    if missing_data:  # the other files do not make up for it
        lower(whole, parts[0].completeness)
    return planned, whole


def _read(path: str, *readers: Callable[[str], Seen]) -> Seen:
    """With the first reader that knows the output; the reason of the first where none does."""
    text = _text(path)
    reasons: list[Unreadable] = []
    for reader in readers:
        try:
            seen = reader(text)
        except Unreadable as error:
            reasons.append(error)
            continue
        seen.problems = [problem._replace(where=path) for problem in seen.problems]
        if seen.completeness is Completeness.EMPTY:
            seen.problems.append(Problem(path, 0, "empty: no data"))
        return seen
    raise Unreadable([problem._replace(where=path) for problem in reasons[0].problems])


def _text(path: str) -> str:
    try:
        return text_of(Path(path).read_bytes(), path)
    except OSError as error:
        raise Failed(f"{path}: {error.strerror}") from error
