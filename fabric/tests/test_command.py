"""`manage.py fabric diagnose`: files in, an answer out, and no database."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from fabric import from_files
from fabric.tests import made_texts
from fabric.tests.made import Made, Shape, made
from fabric.tests.made_faults import inject_all

ROOT = Path(__file__).parents[2]


@pytest.fixture
def fabric() -> Made:
    fabric = made(Shape(machines=30, rails=8, radix=32, seed=3))
    kinds = ["swap", "chain", "cycle", "missing", "stranger", "exchanged_machines", "factory_names", "errors"]
    inject_all(fabric, kinds)
    return fabric


@pytest.fixture
def files(fabric: Made, tmp_path: Path) -> dict[str, str]:
    seen = fabric.seen()
    texts = {
        "plan": made_texts.plan_csv(fabric.plan),
        "observed": made_texts.ibnetdiscover(seen, offset=1),
        "links": made_texts.iblinkinfo(seen, offset=1),
        "errors": made_texts.ibqueryerrors(seen),
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name in ("observed", "errors") else text.encode())
    return {name: str(tmp_path / name) for name in texts}


def answer(capsys: pytest.CaptureFixture[str], files: dict[str, str], *more: str) -> dict[str, Any]:
    call_command("fabric", "diagnose", *(f"--{name}={path}" for name, path in files.items()), "--json", *more)
    return json.loads(capsys.readouterr().out)


def test_the_answer_has_counts_findings_moves_and_names(
    fabric: Made, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = answer(capsys, files)
    truth = fabric.truth()
    assert told["counts"] == {
        "moves": truth.moves,
        "unlit_links": truth.unlit_links,
        "unlit_links_at_dead_devices": 0,
        "unplanned_links": 1,
        "renames": truth.renames,
    }
    assert told["names"] == fabric.names()
    kinds = {finding["kind"] for finding in told["findings"]}
    assert kinds == {"swapped_pair", "chain", "cycle", "dark", "stranger", "exchanged_devices", "unnamed"}
    assert len(told["errors"]) == 1
    assert told["take_out"] == [], "a stranger with a name is asked after, not taken away"


def test_the_moves_done_in_their_order_make_every_lit_link_right(
    fabric: Made, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = answer(capsys, files)
    planned = {cable.label: set(cable.ends) for cable in fabric.plan.cables}
    at: dict[tuple[str, int], list[tuple[str, int] | None]] = {}
    before = {}
    for label, *ends in fabric.links():
        a, b = ((end.device, end.port) for end in ends)
        before[frozenset((a, b))] = label
        at[a] = at[b] = [a, b]
    right = {frozenset(ends) for ends in planned.values()} & set(before)
    hanging: list[list[tuple[str, int] | None]] = []
    for n, step in enumerate(told["moves"], start=1):
        assert step["n"] == n
        take, put = (tuple(end.values()) if end else None for end in (step["take_from"], step["put_into"]))
        cable = at.pop(take) if take else hanging.pop()
        assert frozenset(filter(None, cable)) not in right, "a cable that lay right was touched"
        cable[cable.index(take) if take else cable.index(None)] = put
        if put is None:
            hanging.append(cable)
        else:
            assert put not in at, "the port is occupied"
            at[put] = cable
            assert step["cable"] in planned
        assert len(hanging) <= 1
    insertions = sum(step["put_into"] is not None for step in told["moves"])
    assert not hanging and insertions == told["counts"]["moves"] == fabric.truth().moves
    now = {frozenset(tuple(cable)) for cable in at.values()}
    lit = {frozenset(map(tuple, ends)) for ends in planned.values()} & now
    assert len(lit) == len(planned) - told["counts"]["unlit_links"]


def test_in_words_it_tells_findings_and_moves(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    call_command("fabric", "diagnose", *(f"--{name}={path}" for name, path in files.items()), "--moves")
    text = capsys.readouterr().out
    assert "stand in each other's place" in text and "Moves, in this order:" in text
    assert "upper (port" in text and "SymbolErrorCounter" in text
    assert "let it hang" in text and "that hangs loose" in text and "Reseat" in text


def test_an_empty_observation_is_no_data_and_no_missing_cables(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files["observed"]).write_text("")
    with pytest.raises(CommandError, match="no data") as ended:
        call_command("fabric", "diagnose", *(f"--{name}={path}" for name, path in files.items()), "--json")
    told = json.loads(capsys.readouterr().out)
    assert ended.value.returncode == 3
    assert told["completeness"] == "empty" and told["findings"] == [] and told["moves"] == []
    assert set(told["counts"].values()) == {None}


def test_an_observation_that_breaks_off_concludes_nothing(files: dict[str, str]) -> None:
    text = gzip.decompress(Path(files["observed"]).read_bytes())
    Path(files["observed"]).write_bytes(text[: len(text) * 3 // 4])
    with pytest.raises(CommandError, match="breaks off"):
        call_command("fabric", "diagnose", f"--plan={files['plan']}", f"--observed={files['observed']}")


def test_a_plan_with_a_port_twice_is_refused_with_its_line(files: dict[str, str]) -> None:
    lines = Path(files["plan"]).read_text().splitlines()
    Path(files["plan"]).write_text("\n".join([*lines, "X," + lines[1].split(",", 1)[1]]))
    with pytest.raises(CommandError, match=rf"plan, line {len(lines) + 1}: column a_port: .* already"):
        call_command("fabric", "diagnose", f"--plan={files['plan']}", f"--observed={files['observed']}")


@pytest.mark.parametrize("wrong", ["plan", "observed", "links", "errors"])
def test_a_file_that_is_something_else_is_refused_by_its_name(files: dict[str, str], wrong: str) -> None:
    Path(files[wrong]).write_text("<html>Sign in</html>\n")
    with pytest.raises(CommandError, match=f"/{wrong}, line 1: "):
        call_command("fabric", "diagnose", *(f"--{name}={path}" for name, path in files.items()))


def test_a_file_that_is_not_there_is_told(files: dict[str, str]) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("fabric", "diagnose", f"--plan={files['plan']}", "--observed=/nowhere")


@pytest.mark.parametrize("entry", [["manage.py", "fabric"], ["-m", "fabric"]], ids=["manage.py", "module"])
def test_a_diagnosis_from_files_imports_neither_django_nor_rest_framework(
    files: dict[str, str], entry: list[str]
) -> None:
    """7: the command is as fast as its arithmetic, because it loads nothing of the service."""
    arguments = ["diagnose", *(f"--{name}={path}" for name, path in files.items()), "--json"]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *entry, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["held_back"] is None
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    loaded = {name.split(".")[0] for name in modules}
    assert "fabric" in loaded
    assert not loaded & {"django", "rest_framework", "celery", "psycopg", "pydantic", "config", "inventory", "health"}
    assert {name for name in modules if name.startswith("core")} <= {"core", "core.counts"}, "a pure word or two"


def test_the_program_and_the_management_command_say_the_same(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [f"--{name}={path}" for name, path in files.items()]
    call_command("fabric", "diagnose", *arguments, "--moves")
    inside = capsys.readouterr().out
    assert from_files.main(["diagnose", *arguments, "--moves"]) == 0
    assert capsys.readouterr().out == inside


def test_the_program_ends_with_the_status_of_what_it_could_not_do(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert from_files.main(["diagnose", f"--plan={files['plan']}", "--observed=/nowhere"]) == 1
    Path(files["observed"]).write_text("")
    arguments = [f"--{name}={path}" for name, path in files.items()]
    assert from_files.main(["diagnose", *arguments]) == from_files.NOTHING_CONCLUDED
    assert "nothing is concluded" in capsys.readouterr().err


@pytest.mark.services
def test_it_works_where_no_database_is(files: dict[str, str]) -> None:
    environment = os.environ | {
        "RACKSIDE_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
        "RACKSIDE_REDIS_URL": "redis://127.0.0.1:1/0",
        "RACKSIDE_BROKER_URL": "redis://127.0.0.1:1/0",
    }
    arguments = [f"--{name}={path}" for name, path in files.items()]
    done = subprocess.run(
        [sys.executable, "manage.py", "fabric", "diagnose", *arguments, "--json"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["held_back"] is None
