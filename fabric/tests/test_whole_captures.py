"""A capture that repeats or contradicts itself, or of which a part is missing, never reads "All is as planned"."""

from __future__ import annotations

import random

import pytest

from fabric.facts import Completeness, Seen
from fabric.formats import iblinkinfo, ibnetdiscover, merge
from fabric.reconcile.diagnose import diagnose
from fabric.reconcile.report import as_json, as_text
from fabric.tests import made_texts
from fabric.tests.made import Made, Shape, made

SMALL = Shape(machines=8, rails=4, radix=16)


@pytest.fixture
def fabric() -> Made:
    return made(SMALL)


def texts(fabric: Made) -> dict[str, str]:
    seen = fabric.seen()
    return {"ibnetdiscover": made_texts.ibnetdiscover(seen), "iblinkinfo": made_texts.iblinkinfo(seen)}


def read(tool: str, text: str) -> Seen:
    return {"ibnetdiscover": ibnetdiscover, "iblinkinfo": iblinkinfo}[tool].read(text)


def says(fabric: Made, seen: Seen) -> str:
    diagnosis = diagnose(fabric.plan, seen)
    text = as_text(diagnosis, fabric.plan, seen, moves=False)
    assert as_json(diagnosis, fabric.plan, seen)["as_planned"] == ("All is as planned" in text)
    return text


@pytest.mark.parametrize("tool", ["ibnetdiscover", "iblinkinfo"])
def test_a_whole_capture_of_a_healthy_fabric_is_as_planned(fabric: Made, tool: str) -> None:
    assert "All is as planned." in says(fabric, read(tool, texts(fabric)[tool]))


@pytest.mark.parametrize("tool", ["ibnetdiscover", "iblinkinfo"])
def test_a_capture_that_repeats_itself_is_not_as_planned(fabric: Made, tool: str) -> None:
    """4: two looks in one file, or one look written twice."""
    text = texts(fabric)[tool]
    seen = read(tool, text + text)
    assert seen.completeness is Completeness.PARTIAL
    assert "All is as planned" not in says(fabric, seen)


@pytest.mark.parametrize("tool", ["ibnetdiscover", "iblinkinfo"])
def test_a_capture_that_contradicts_itself_is_not_as_planned(fabric: Made, tool: str) -> None:
    """4: the same port leads to two places."""
    lines = texts(fabric)[tool].splitlines()
    if tool == "iblinkinfo":
        one, other = [n for n, line in enumerate(lines) if "LinkUp" in line and "mlx5_0" in line.rpartition("==>")[2]][
            :2
        ]
        far = lines[other].rpartition("==>")[2]
        lines.append(lines[one].rpartition("==>")[0] + "==>" + far)
    else:
        at = next(n for n, line in enumerate(lines) if line.startswith('[1]\t"H-'))
        next_port = next(line for line in lines[at + 1 :] if line.startswith('[2]\t"H-'))
        lines.insert(at + 1, next_port.replace("[2]", "[1]", 1))
    seen = read(tool, "\n".join(lines) + "\n")
    assert seen.completeness is Completeness.PARTIAL
    assert "All is as planned" not in says(fabric, seen)


@pytest.mark.parametrize("tool", ["ibnetdiscover", "iblinkinfo"])
def test_what_a_tool_reported_between_the_lines_is_not_as_planned(fabric: Made, tool: str) -> None:
    """4: `ibwarn` in the middle of the output."""
    lines = texts(fabric)[tool].splitlines()
    lines.insert(len(lines) // 2, "ibwarn: [77] mad_rpc: _do_madrpc failed; dport (DR path slid 0; dlid 0; 0,1)")
    seen = read(tool, "\n".join(lines) + "\n")
    text = says(fabric, seen)
    assert "All is as planned" not in text and "the capture is partial" in text and "ibwarn" in text


@pytest.mark.parametrize("tool", ["ibnetdiscover", "iblinkinfo"])
def test_no_cut_of_a_capture_reads_as_planned(fabric: Made, tool: str) -> None:
    """4: at any byte."""
    text = texts(fabric)[tool]
    chosen = random.Random(5)
    for at in (chosen.randrange(200, len(text) - 2) for _ in range(25)):
        try:
            seen = read(tool, text[:at])
        except ValueError:
            continue
        assert "All is as planned" not in says(fabric, seen), at


def test_two_outputs_that_disagree_are_not_as_planned(fabric: Made) -> None:
    other = made(SMALL)
    labels = [cable.label for cable in other.plan.cables][:2]
    (one, first), (two, second) = (
        (other.lanes[label][1][0], other.plugs[other.lanes[label][1][0]]) for label in labels
    )
    other.put(one, None)
    other.put(two, None)
    other.put(one, second)
    other.put(two, first)
    parts = [ibnetdiscover.read(texts(fabric)["ibnetdiscover"]), iblinkinfo.read(texts(other)["iblinkinfo"])]
    assert "All is as planned" not in says(fabric, merge(parts))


def test_a_capture_with_an_unreadable_line_is_not_as_planned(fabric: Made) -> None:
    seen = fabric.seen()
    seen.completeness = Completeness.PARTIAL
    assert "All is as planned" not in says(fabric, seen)


def test_the_node_that_a_capture_was_taken_from_is_known() -> None:
    text = made_texts.ibnetdiscover(made(SMALL).seen())
    seen = ibnetdiscover.read(text)
    assert seen.origin in seen.nodes
    assert merge([seen, iblinkinfo.read(made_texts.iblinkinfo(made(SMALL).seen()))]).origin == seen.origin
