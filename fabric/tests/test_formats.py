"""The readers of infiniband-diags: what the tools print, whole and broken."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from fabric.facts import Completeness, NodeKind, SeenPort, SeenState
from fabric.formats import (
    Unreadable,
    iblinkinfo,
    ibnetdiscover,
    ibqueryerrors,
    merge,
    node_names,
    perfquery,
    text_of,
)
from fabric.tests import made_texts
from fabric.tests.made import Shape, made

CAPTURES = Path(__file__).parent / "captures"
LEAF, SPINE = "0000000000200000", "0000000000200001"


def capture(name: str) -> str:
    return text_of((CAPTURES / name).read_bytes(), name)


def made_text() -> str:
    return made_texts.ibnetdiscover(made(Shape(machines=8, rails=2, radix=16)).seen())


def test_a_real_fabric_is_read_with_its_aggregation_nodes_and_unnamed_adapters() -> None:
    seen = ibnetdiscover.read(capture("topograph-ndr.ibnetdiscover.txt.gz"))
    kinds = Counter(node.kind for node in seen.nodes.values())
    assert kinds == {NodeKind.SWITCH: 40, NodeKind.ADAPTER: 542, NodeKind.AGGREGATION: 40}
    assert len(seen.links) == 1114
    assert sum("ConnectX7" in node.description for node in seen.nodes.values()) == 69
    assert {link.width + link.speed for link in seen.links} == {"4xNDR"}
    assert seen.completeness is Completeness.COMPLETE and not seen.problems


def test_what_is_printed_of_a_made_fabric_is_read_back() -> None:
    fabric = made(Shape(machines=8, rails=2, radix=16))
    seen = fabric.seen()
    read = merge([ibnetdiscover.read(made_texts.ibnetdiscover(seen)), iblinkinfo.read(made_texts.iblinkinfo(seen))])
    assert sorted(read.links) == sorted(seen.links)
    assert {guid: node.description for guid, node in read.nodes.items()} == {
        guid: node.description for guid, node in seen.nodes.items()
    }
    assert read.completeness is Completeness.COMPLETE


def test_lost_tabs_and_lost_blank_lines_change_nothing() -> None:
    text = made_text()
    lost = "\n".join(line.replace("\t", "").replace("] #", "]#") for line in text.splitlines() if line)
    assert ibnetdiscover.read(lost).links == ibnetdiscover.read(text).links
    assert ibnetdiscover.read(lost).nodes == ibnetdiscover.read(text).nodes


def test_windows_line_ends_and_trailing_blanks_change_nothing() -> None:
    text = made_text()
    assert ibnetdiscover.read(text.replace("\n", "  \r\n")).links == ibnetdiscover.read(text).links


def test_guids_without_their_leading_zeros_are_the_same_guids() -> None:
    seen = ibnetdiscover.read(capture("ibsim.ibnetdiscover.txt"))
    assert seen.port_guids["0000000000100003"] == SeenPort("0000000000100002", 1)
    assert set(seen.nodes) >= {LEAF, SPINE}


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_an_output_that_breaks_off_is_truncated_wherever_it_does(share: float) -> None:
    for text in (made_text(), capture("topograph-ndr.ibnetdiscover.txt.gz")):
        assert ibnetdiscover.read(text[: int(len(text) * share)]).completeness is Completeness.TRUNCATED


def test_an_output_without_its_last_line_is_truncated() -> None:
    lines = made_text().rstrip().splitlines()
    assert ibnetdiscover.read("\n".join(lines[:-1]) + "\n").completeness is Completeness.TRUNCATED


@pytest.mark.parametrize("text", ["", "\n\n", "#\n# Topology file: generated on Sat\n#\n"])
def test_an_empty_output_is_empty_and_not_a_fabric_without_cables(text: str) -> None:
    assert ibnetdiscover.read(text).completeness is Completeness.EMPTY


def test_ends_that_disagree_make_the_look_partial_and_the_link_doubtful() -> None:
    text = capture("ibsim.ibnetdiscover.txt")
    moved = text.replace('[2]\t"H-0000000000100002"[1]', '[3]\t"H-0000000000100002"[1]')
    seen = ibnetdiscover.read(moved)
    assert seen.completeness is Completeness.PARTIAL
    assert len(seen.links) == 3
    assert {end for link in seen.doubtful for end in (link.a, link.b)} == {
        SeenPort("0000000000100002", 1),
        SeenPort(LEAF, 2),
        SeenPort(LEAF, 3),
    }


def test_a_complaint_of_the_tool_makes_the_look_partial() -> None:
    seen = ibnetdiscover.read("ibwarn: [71] mad_rpc: _do_madrpc failed; dport (DR path)\n" + made_text())
    assert seen.completeness is Completeness.PARTIAL
    assert "line" not in seen.problems[0].text and seen.problems[0].line == 1


@pytest.mark.parametrize("reader", [ibnetdiscover.read, iblinkinfo.read, ibqueryerrors.read, perfquery.read])
def test_another_file_is_refused_with_its_place(reader: Callable[..., object]) -> None:
    with pytest.raises(Unreadable) as refused:
        reader("hostname,rack\ngpu-1,A01\n")
    assert refused.value.problems[0].line >= 1


@pytest.mark.parametrize("name", ["ibsim.iblinkinfo.txt", "ibsim.iblinkinfo-l.txt", "ibsim.ibnetdiscover-p.txt"])
def test_all_forms_of_the_tools_tell_the_same_fabric(name: str) -> None:
    first = ibnetdiscover.read(capture("ibsim.ibnetdiscover.txt"))
    other = (ibnetdiscover if "discover" in name else iblinkinfo).read(capture(name))
    whole = merge([first, other])
    assert sorted(whole.links) == sorted(first.links) and set(whole.nodes) == set(first.nodes)
    assert whole.completeness is Completeness.COMPLETE
    assert len(whole.states) == 19


def test_iblinkinfo_tells_ports_that_are_down_and_what_ends_could_do() -> None:
    states = iblinkinfo.read(capture("ibsim.iblinkinfo-switches-only.txt")).states
    assert states[SeenPort(LEAF, 3)] == SeenState("Down", "Polling")
    assert states[SeenPort(LEAF, 7)] == SeenState("Active", "LinkUp", "4x", "SDR", "12x", "QDR")


def test_a_dead_port_with_unknown_width_is_read() -> None:
    seen = ibnetdiscover.read(capture("infiniband_exporter.ibnetdiscover-p.txt"))
    assert seen.states[SeenPort("506b4b03005c2740", 37)].logical == "Down"
    assert len(seen.links) == 3


@pytest.mark.parametrize("tool", ["ibnetdiscover", "iblinkinfo"])
def test_what_the_pattern_for_usual_lines_reads_is_what_is_read_line_by_line(tool: str) -> None:
    """4: a text with line ends of Windows is read line by line, by the patterns for lines of any form."""
    fabric = made(Shape(machines=4, rails=2, radix=8))
    fabric.factory.update(list(fabric.names())[:2])
    reader, write = {
        "ibnetdiscover": (ibnetdiscover.read, made_texts.ibnetdiscover),
        "iblinkinfo": (iblinkinfo.read, made_texts.iblinkinfo),
    }[tool]
    text = write(fabric.seen(), 1)
    chance = random.Random(5)
    signs = [
        '"',
        " ",
        "[",
        "]",
        "0",
        "1",
        "x",
        "X",
        "(",
        ")",
        "=",
        "\t",
        "²",
        "",
        "lid 3",
        "4x???",
        "==>",
        "Gbps",
        "\n",
        '"\n"',
    ]
    for _ in range(400):
        changed = text
        for _ in range(chance.randrange(4)):
            at = chance.randrange(len(changed))
            changed = changed[:at] + chance.choice(signs) + changed[at + 1 :]
        assert reader(changed) == reader(changed.replace("\n", "\r\n")), changed


def test_outputs_that_tell_a_port_differently_make_it_doubtful() -> None:
    first = ibnetdiscover.read(capture("ibsim.ibnetdiscover.txt"))
    later = ibnetdiscover.read(capture("ibsim.ibnetdiscover.txt"))
    cable = next(link for link in later.links if SeenPort(LEAF, 2) in link[:2])
    later.links.remove(cable)
    later.links.append(cable._replace(b=SeenPort(LEAF, 4)))
    whole = merge([first, later])
    assert whole.completeness is Completeness.PARTIAL
    assert SeenPort(LEAF, 2) not in {end for link in whole.links for end in link[:2]}


def test_errors_without_their_summary_are_no_data() -> None:
    assert ibqueryerrors.read("").completeness is Completeness.EMPTY
    text = 'Errors for 0x200000 "leaf"\n   GUID 0x200000 port ALL: [SymbolErrorCounter == 7]\n'
    text += "   GUID 0x200000 port 5: [SymbolErrorCounter == 7] [PortXmitWait == 900 (0.9K)]\n"
    cut = ibqueryerrors.read(text)
    assert cut.completeness is Completeness.TRUNCATED
    whole = ibqueryerrors.read(text + "\n## Summary: 5 nodes checked, 1 bad\n##          19 ports checked, 1 ports\n")
    assert whole.completeness is Completeness.COMPLETE
    assert whole.counters == {SeenPort(LEAF, 5): {"SymbolErrorCounter": 7, "PortXmitWait": 900}}


def test_counters_of_perfquery_find_their_node_by_its_lid() -> None:
    fabric = ibnetdiscover.read(capture("infiniband_exporter.ibnetdiscover-p.txt"))
    counters = perfquery.read(capture("infiniband_exporter.perfquery.txt"))
    assert counters.counters[SeenPort("lid:134", 1)]["PortRcvData"] == 9752484588300
    assert SeenPort("7cfe9003003b4bde", 1) in merge([fabric, counters]).counters


def test_an_empty_part_makes_the_whole_partial_and_no_more() -> None:
    fabric = ibnetdiscover.read(capture("ibsim.ibnetdiscover.txt"))
    assert merge([fabric, ibqueryerrors.read("")]).completeness is Completeness.PARTIAL
    assert merge([ibnetdiscover.read(""), ibqueryerrors.read("")]).completeness is Completeness.EMPTY


def test_a_node_name_map_is_written_and_read_back() -> None:
    names = {"900a840300448ba0": "leaf-1", "00000000000000ff": "spine 2"}
    assert node_names.read(node_names.write(names, "made today")) == names
    with pytest.raises(Unreadable, match="line 2"):
        node_names.read('0xff "spine 2"\nff other name"\n0xff')


def test_gzip_that_breaks_off_is_refused_and_whole_gzip_is_read() -> None:
    packed = gzip.compress(b"some text")
    assert text_of(packed, "a.gz") == "some text"
    with pytest.raises(Unreadable, match="breaks off"):
        text_of(packed[:-6], "a.gz")
    with pytest.raises(Unreadable, match="not a text file"):
        text_of(b"\x7fELF\0\0", "a")


def test_no_damage_to_a_file_makes_a_reader_fail_but_by_refusing_it() -> None:
    seen = made(Shape(machines=4, rails=2, radix=8)).seen()
    texts = {
        ibnetdiscover.read: made_texts.ibnetdiscover(seen),
        iblinkinfo.read: made_texts.iblinkinfo(seen),
        perfquery.read: capture("infiniband_exporter.perfquery.txt"),
        node_names.read: '0x1f "leaf 1"\n0x2f "leaf 2"\n',
    }
    chosen = random.Random(5)
    refused = 0
    for reader, text in texts.items():
        for _ in range(150):
            damaged = list(text)
            for _ in range(chosen.randint(1, 20)):
                at = chosen.randrange(len(damaged))
                damaged[at : at + chosen.randint(0, 9)] = chosen.choice(
                    ["", "\0", '"', "[", ")", "\n", "9", "\t\t", "é"]
                )
                damaged = damaged or ["x"]
            try:
                reader("".join(damaged))
            except Unreadable as reason:
                refused += 1
                assert reason.problems
    assert refused
