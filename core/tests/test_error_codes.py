"""Codes of errors: what the source can answer with, the table, and the page for clients are the same."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from rest_framework import exceptions

from core.errors import CODES

ROOT = Path(__file__).parents[2]
PLACES = {"error_body": 0, "refusal": 1, "refused": 1, "FileRefused": 1, "refuse": 2, "FieldError": 2}
"""Calls that are given a code as their argument of this number."""
ROOMS = ("config", "live", "core", "inventory", "access", "health", "fabric", "provisioning", "tickets")


@cache
def sources() -> list[tuple[Path, ast.Module]]:
    return [
        (path, ast.parse(path.read_text()))
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        if not {"tests", "migrations", "embedded"} & set(path.parts)
    ]


def words_of(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Codes given as `code="..."`, at their place in the calls of `PLACES`, or as a class's `default_code`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [word.value for word in node.keywords if word.arg == "code"]
            at = PLACES.get(name)
            given += node.args[at : at + 1] if at is not None else []
        elif isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "default_code" for t in node.targets):
            given = [node.value]
        else:
            continue
        for value in given:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value.value, node.lineno


def test_no_code_is_answered_that_is_not_in_the_table() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path, tree in sources()
        for word, line in words_of(tree)
        if word and word not in CODES
    ]
    assert not found


def test_a_conflict_is_answered_with_a_code_of_that_status() -> None:
    """A code that the table keeps for rows alone is not in the OpenAPI document's list for whole answers."""
    wrong = []
    for path, tree in sources():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Conflict", "Busy")):
                continue
            given = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "code")]
            wrong += [
                f"{path.relative_to(ROOT)}:{node.lineno}: {value.value}"
                for value in given
                if isinstance(value, ast.Constant)
                and isinstance(value.value, str)
                and value.value
                and CODES[value.value].status != 409
            ]
    assert not wrong


def test_what_a_broken_constraint_means_is_in_the_table() -> None:
    from inventory.kinds.refusals import MEANINGS

    assert {code for _, _, code in MEANINGS.values()} <= set(CODES)


def test_the_search_for_codes_finds_the_known_ones() -> None:
    found = {word for _, tree in sources() for word, _ in words_of(tree)}
    assert {"conflict", "not_ready", "password_change_required", "idempotency_mismatch", "precondition_failed"} <= found


@pytest.mark.parametrize(
    "kind",
    [
        exceptions.ParseError, exceptions.AuthenticationFailed, exceptions.NotAuthenticated, exceptions.NotFound,
        exceptions.PermissionDenied, exceptions.MethodNotAllowed, exceptions.NotAcceptable,
        exceptions.UnsupportedMediaType, exceptions.Throttled,
    ],
)  # fmt: skip
def test_the_framework_s_own_codes_are_in_the_table(kind: type[exceptions.APIException]) -> None:
    assert CODES[kind.default_code].status == kind.status_code


def test_the_page_for_clients_lists_every_code_with_its_status_and_meaning() -> None:
    page = (ROOT / "docs" / "api.md").read_text()
    listed = {}
    for status, word, meaning in re.findall(r"^\| (\d+|row) \| `([a-z_]+)` \| (.*) \|$", page, re.MULTILINE):
        listed[word] = (0 if status == "row" else int(status), meaning)
    assert listed == {word: tuple(code) for word, code in CODES.items()}
