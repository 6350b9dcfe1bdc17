"""The history in sentences: who did what to which thing, one line for what one cause did."""

from __future__ import annotations

import importlib
from collections import Counter
from typing import Any

import pytest

from core.audit import sentences
from core.audit.tables import table_of
from inventory.models import Rack

RACK = table_of(Rack)


def row(named: str, action: str = "changed", /, **fields: tuple[Any, Any]) -> dict[str, Any]:
    return {
        "name": named, "action": action, "kind": "racks",
        "fields": {each: {"before": was, "after": now} for each, (was, now) in fields.items()},
    }  # fmt: skip


def did(*rows: dict[str, Any], sizes: dict[tuple[str, str], int] | None = None) -> str:
    return sentences.did([sentences.Told(RACK, each) for each in rows], Counter(sizes or {}))


@pytest.mark.parametrize(
    ("said", "rows"),
    [
        ("added rack A01", [row("A01", "created", name=(None, "A01"))]),
        ("removed rack A01", [row("A01", "deleted", name=("A01", None))]),
        ("set asset tag of rack A01 to 7", [row("A01", asset_tag=("", "7"))]),
        ("set height of rack A01 from 42 to 48", [row("A01", height=(42, 48))]),
        ("set reserved of rack A01 from no to yes", [row("A01", reserved=(False, True))]),
        ("cleared asset tag of rack A01", [row("A01", asset_tag=("7", ""))]),
        ("changed spec of rack A01", [row("A01", spec=({}, {"a": 1}))]),
        ("changed note of rack A01", [row("A01", note=("", "long " * 30))]),
        ("changed a, b and c of rack A01", [row("A01", a=(1, 2), b=(1, 2), c=(1, 2))]),
        ("changed 4 fields of rack A01", [row("A01", a=(1, 2), b=(1, 2), c=(1, 2), d=(1, 2))]),
        ("changed 2 racks: A01, A02", [row("A01", a=(1, 2)), row("A02", a=(1, 2))]),
        ("", []),
    ],
)
def test_what_was_changed_is_said_in_one_sentence(said: str, rows: list[dict[str, Any]]) -> None:
    assert did(*rows) == said


def test_of_many_records_the_first_are_named_and_all_are_counted() -> None:
    rows = [row(f"A{n}", "created") for n in range(1, 6)]
    assert did(*rows, sizes={(RACK.name, "created"): 600}) == "added 600 racks: A1, A2, A3 and 597 more"


@pytest.mark.parametrize(
    ("actor", "kind", "said"),
    [
        ("tina", "person", "tina"),
        ("task:health.monitoring.tasks.run_shard", "task", "a sweep"),
        ("task:some.tasks.new_thing", "task", "the task new thing"),
        ("tina", "task", "tina"),
        ("command:load_fleet", "command", "the command load_fleet"),
        ("machine at 10.0.0.7", "machine", "the machine at 10.0.0.7"),
        ("anonymous", "anonymous", "somebody not signed in"),
    ],
)
def test_whoever_wrote_is_named_as_one_says_it(actor: str, kind: str, said: str) -> None:
    assert sentences.who(actor, kind) == said


def test_every_task_that_is_told_by_another_name_exists() -> None:
    for path in sentences.workers():
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(module), name), path
