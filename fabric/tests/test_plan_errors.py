"""A typing error in the plan is told on its line, with the nearest name, and nobody moves a cable for it."""

from __future__ import annotations

import pytest

from fabric.facts import NodeKind, Seen, SeenLink, SeenNode, SeenPort
from fabric.formats import ibnetdiscover
from fabric.formats.plan_files import read_plan
from fabric.reconcile.compared import compare
from fabric.reconcile.diagnose import Diagnosis, Finding, Kind, diagnose
from fabric.tests import made_texts
from fabric.tests.made import Made, Shape, made
from fabric.tests.made_faults import inject

SMALL = Shape(machines=30, rails=4, radix=64)


def rows_of(fabric: Made) -> list[str]:
    return made_texts.plan_csv(fabric.plan).splitlines()


def diagnosed(fabric: Made, rows: list[str], seen: Seen | None = None) -> Diagnosis:
    seen = seen or ibnetdiscover.read(made_texts.ibnetdiscover(fabric.seen()))
    return diagnose(read_plan("\n".join(rows)), seen)


def only(diagnosis: Diagnosis) -> Finding:
    assert diagnosis.held_back is None
    assert diagnosis.moves == () and diagnosis.counts["moves"] == 0
    (finding,) = diagnosis.findings
    assert finding.kind is Kind.PLAN_ERROR and finding.moves == ()
    return finding


def test_a_port_beyond_what_the_switch_reports_is_told_on_the_plan_s_line() -> None:
    """3: the cable lies right, and the plan says port 171 of a switch with 64."""
    fabric = made(SMALL)
    rows = rows_of(fabric)
    assert rows[17].endswith(",5")
    rows[17] = rows[17].removesuffix(",5") + ",575"
    finding = only(diagnosed(fabric, rows))
    assert finding.evidence["line"] == 18 and finding.title.startswith("Line 18 of the plan")
    assert "has ports 1 to 64" in finding.text and "leads to port 5: read so, it is as planned" in finding.text


def test_the_port_inside_a_switch_is_none_that_a_cable_goes_to() -> None:
    """3: a QM9700 reports 65 ports; 65 is the aggregation node's."""
    fabric = made(SMALL)
    seen = ibnetdiscover.read(made_texts.ibnetdiscover(fabric.seen()))
    seen.nodes = {
        guid: node._replace(ports=65) if node.kind is NodeKind.SWITCH else node for guid, node in seen.nodes.items()
    }
    rows = rows_of(fabric)
    rows[17] = rows[17].removesuffix(",5") + ",65"
    assert "has ports 1 to 64" in only(diagnosed(fabric, rows, seen)).text


def test_a_source_that_tells_of_lit_ports_only_says_nothing_of_how_many_there_are() -> None:
    """3: the last port that is lit is not the last port that there is."""
    fabric = made(SMALL)
    label = rows_of(fabric)[-1].split(",")[0]
    for plug in fabric.bodies[label]:
        fabric.put(plug, None)
    seen = fabric.seen()
    seen.states = {port: state for port, state in seen.states.items() if state.logical == "Active"}
    lit = {guid: max(port.port for port in seen.states if port.guid == guid) for guid in seen.nodes}
    seen.nodes = {guid: node._replace(ports=lit[guid]) for guid, node in seen.nodes.items()}
    assert [finding.kind for finding in diagnosed(fabric, rows_of(fabric), seen).findings] == [Kind.MISSING]


def test_a_port_beyond_the_switch_s_with_a_dark_cable_is_no_cable_to_reseat() -> None:
    fabric = made(SMALL)
    label = rows_of(fabric)[17].split(",")[0]
    for plug in fabric.bodies[label]:
        fabric.put(plug, None)
    rows = rows_of(fabric)
    rows[17] = rows[17].removesuffix(",5") + ",575"
    assert label in only(diagnosed(fabric, rows)).cables


@pytest.mark.parametrize("typo", ["laef", "Leaf-", "leav"])
def test_a_device_that_nobody_saw_is_told_with_the_nearest_name_and_never_a_move(typo: str) -> None:
    """3: one row of a switch is misspelled; every other row has it right."""
    fabric = made(SMALL)
    rows = rows_of(fabric)
    right = rows[17].split(",")[3]
    rows[17] = rows[17].replace("leaf", typo)
    finding = only(diagnosed(fabric, rows))
    assert finding.evidence["line"] == 18 and finding.evidence["nearest"] == right
    assert right in finding.text and "read so, it is as planned" in finding.text


def test_a_misspelled_device_whose_cable_lies_elsewhere_moves_nothing() -> None:
    """3: the cable sits in a free port, and the plan's name for its switch was never seen."""
    fabric = made(SMALL)
    rows = rows_of(fabric)
    label, right = rows[17].split(",")[0], rows[17].split(",")[3]
    plug = fabric.lanes[label][1][0]
    fabric.put(plug, (fabric.plugs[plug][0]._replace(port=31),))
    rows[17] = rows[17].replace("leaf", "laef")
    finding = only(diagnosed(fabric, rows))
    assert finding.evidence["nearest"] == right and f"{right} port 31" in finding.text


def test_a_misspelled_device_with_a_dark_cable_is_told_by_its_letters() -> None:
    """3: a name that was seen has the same digits and nearly the same letters."""
    fabric = made(SMALL)
    rows = rows_of(fabric)
    label, *_, right, _ = rows[17].split(",")
    for plug in fabric.bodies[label]:
        fabric.put(plug, None)
    rows[17] = rows[17].replace("leaf", "laef")
    assert only(diagnosed(fabric, rows)).evidence["nearest"] == right


def test_a_device_that_is_misspelled_in_several_rows_is_no_device_that_is_off() -> None:
    fabric = made(SMALL)
    rows = rows_of(fabric)
    for at in (17, 21, 25):
        rows[at] = rows[at].replace("leaf", "laef")
    diagnosis = diagnosed(fabric, rows)
    assert {finding.kind for finding in diagnosis.findings} == {Kind.PLAN_ERROR}
    assert len(diagnosis.findings) == 3 and diagnosis.moves == ()


@pytest.mark.parametrize("typo", ["gpu-00033", "gpu-003", "gup-0003"])
def test_a_misspelled_machine_in_one_row_is_no_machine_to_rename(typo: str) -> None:
    """3: by the wiring the adapter was taken for another machine under a wrong name: "Rename gpu-00033"."""
    fabric = made(SMALL)
    rows = rows_of(fabric)
    at = next(at for at, row in enumerate(rows) if "gpu-0003 mlx5_2" in row)
    rows[at] = rows[at].replace("gpu-0003", typo)
    finding = only(diagnosed(fabric, rows))
    assert finding.evidence["line"] == at + 1 and "gpu-0003 mlx5_2" in finding.evidence["nearest"]


def test_a_misspelled_adapter_in_one_row_is_told_and_moves_nothing() -> None:
    fabric = made(SMALL)
    rows = rows_of(fabric)
    at = next(at for at, row in enumerate(rows) if "gpu-0003 mlx5_2" in row)
    rows[at] = rows[at].replace("mlx5_2", "mlx5_22")
    diagnosis = diagnosed(fabric, rows)
    assert [finding.kind for finding in diagnosis.findings] == [Kind.ADAPTER_NAMES] and diagnosis.moves == ()
    assert "mlx5_2 stands at the place of mlx5_22" in diagnosis.findings[0].text


def test_a_machine_with_one_rail_that_is_off_is_no_error_in_the_plan() -> None:
    """3: names in a row differ in their digits, and that alone is no typing error."""
    fabric = made(Shape(machines=30, rails=1, radix=64))
    fabric.dead.add("gpu-0007 mlx5_0")
    diagnosis = diagnosed(fabric, rows_of(fabric))
    assert [finding.kind for finding in diagnosis.findings] == [Kind.MISSING]


def test_a_cable_in_the_port_of_a_machine_with_one_rail_is_still_a_move() -> None:
    """3: whose cable hangs loose, so that nobody saw it: the other goes to its own port, none to what was not seen."""
    fabric = made(Shape(machines=30, rails=1, radix=64))
    one, other = (fabric.lanes[cable.label][1][0] for cable in fabric.plan.cables[3:5])
    socket = fabric.plugs[other]
    fabric.put(other, None)
    fabric.put(one, socket)
    diagnosis = diagnosed(fabric, rows_of(fabric))
    assert [finding.kind for finding in diagnosis.findings] == [Kind.CHAIN]
    assert [move.put_into.port for move in diagnosis.moves] == [4] and diagnosis.counts["unlit_links"] == 1


def test_moves_beside_an_error_in_the_plan_are_planned_as_ever() -> None:
    fabric = made(SMALL)
    rows = rows_of(fabric)
    rows[17] = rows[17].replace("leaf", "laef")
    label = rows[17].split(",")[0]
    fabric.touched.update(
        {label, *(end.device for cable in fabric.plan.cables if cable.label == label for end in cable.ends)}
    )
    inject(fabric, "swap")
    diagnosis = diagnosed(fabric, rows)
    assert {finding.kind for finding in diagnosis.findings} == {Kind.PLAN_ERROR, Kind.SWAPPED_PAIR}
    assert diagnosis.counts["moves"] == 2


def test_a_plan_with_domains_is_the_same_plan() -> None:
    """3: FQDNs fold, whichever side has them."""
    fabric = made(SMALL)
    rows = [row.replace(" mlx5", ".hall.example.com mlx5") for row in rows_of(fabric)]
    rows = [
        rows[0],
        *(
            ",".join(cell if "-leaf-" not in cell else f"{cell}.net.example.com" for cell in row.split(","))
            for row in rows[1:]
        ),
    ]
    assert diagnosed(fabric, rows).findings == ()
    seen = ibnetdiscover.read(made_texts.ibnetdiscover(fabric.seen()))
    seen.nodes = {
        guid: node._replace(
            description=node.description.replace(" mlx5", ".hall.example.com mlx5").replace(":MQM", ".example.com:MQM"),
        )
        for guid, node in seen.nodes.items()
    }
    assert diagnosed(fabric, rows_of(fabric), seen).findings == ()


def director(inner: str) -> tuple[list[str], Seen]:
    """A chassis of two leaf boards and a spine board, with a machine at each leaf board."""
    rows = ["cable,a_device,a_port,b_device,b_port"]
    seen = Seen()
    boards = {"L01/U1": "a1", "L02/U1": "a2", "S01/U1": "a3"}
    for board, digits in boards.items():
        guid = digits.rjust(16, "0")
        seen.nodes[guid] = SeenNode(
            guid, NodeKind.SWITCH, f"MF0;core:MCS8500/{board}", 40, "a0".rjust(16, "0"), 1, True
        )
    for at, digits in enumerate(("b1", "b2"), 1):
        guid = digits.rjust(16, "0")
        seen.nodes[guid] = SeenNode(guid, NodeKind.ADAPTER, f"gpu-{at} mlx5_0", 1, guid, 1, True)
        seen.links.append(SeenLink(SeenPort(f"a{at}".rjust(16, "0"), 1), SeenPort(guid, 1), "4x", "HDR"))
        seen.links.append(
            SeenLink(SeenPort(f"a{at}".rjust(16, "0"), 21), SeenPort("a3".rjust(16, "0"), at), "4x", "HDR")
        )
        rows.append(f"C{at},gpu-{at} mlx5_0,1,core/L0{at}/U1,1")
    if inner:
        rows += [f"I{at},core/L0{at}/U1,{inner},core/S01/U1,{at}" for at in (1, 2)]
    return rows, seen


@pytest.mark.parametrize("inner", ["", "21", "22"], ids=["unplanned", "planned", "planned otherwise"])
def test_links_inside_a_chassis_are_left_out(inner: str) -> None:
    """3: nobody lays them, so they are neither extra nor missing nor moved."""
    rows, seen = director(inner)
    diagnosis = diagnose(read_plan("\n".join(rows)), seen)
    assert [finding for finding in diagnosis.findings if finding.kind is not Kind.STRANGER] == []
    assert diagnosis.moves == () and diagnosis.counts["unplanned_links"] == 0
    plan = read_plan("\n".join(rows))
    assert "extra" not in {each.state.value for each in compare(plan, seen, diagnosis.names)}
