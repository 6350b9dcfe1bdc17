"""LLDP of machines over SSH, and of switches over eAPI and NVUE, to stored findings of the Ethernet fabric."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fabric.models import FabricLink, Finding
from fabric.tests.live_hall import ETHERNET_CABLES, LiveHall, believed, discover, live_hall

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(120)]
KINDS = ("lldp", "eapi", "nvue")


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveHall]:
    with live_hall(tmp_path, monkeypatch) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_two_swapped_cables_are_a_stored_finding_that_goes_when_they_are_right(hall: LiveHall, kind: str) -> None:
    source = hall.ethernet(kind)
    done = believed(source)
    assert (done.counts["links"], Finding.objects.count()) == (ETHERNET_CABLES, 0), done.problems
    assert set(FabricLink.objects.filter(source=source).values_list("state", flat=True)) == {"correct"}
    hall.swap("eth-1", 1, 2)
    believed(source)
    (finding,) = Finding.objects.exclude(state="closed")
    assert (finding.kind, finding.moves) == ("swapped_pair", 2) and "eth-1" in finding.devices
    cages = {end["cage"] for move in finding.detail["moves"] for end in (move["take_from"], move["put_into"]) if end}
    assert cages
    hall.swap("eth-1", 1, 2)
    believed(source)
    assert not Finding.objects.exclude(state="closed").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_that_nobody_tells_are_no_data(hall: LiveHall, kind: str) -> None:
    source = hall.ethernet(kind)
    believed(source)
    hall.let("lldp" if kind == "lldp" else "switches", "empty")
    for _ in range(2):
        done = discover(source)
    assert done.status != "done" and source.state in ("empty", "held_back"), source.message
    assert Finding.objects.count() == 0
    assert set(FabricLink.objects.filter(source=source).values_list("state", flat=True)) == {"correct"}


@pytest.mark.parametrize("kind", ["eapi", "nvue"])
def test_a_switch_with_another_certificate_is_not_trusted(hall: LiveHall, kind: str) -> None:
    source = hall.ethernet(kind)
    believed(source)
    assert len(source.identity.splitlines()) == 2
    first = source.identity.splitlines()[0].rsplit(" ", 1)[0]
    source.identity = f"{first} {'ab' * 32}"
    source.save()
    done = discover(source)
    assert (done.status, source.state) == ("failed", "untrusted") and first in source.message


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["eapi", "nvue"])
def test_a_switch_that_is_off_makes_the_look_partial(hall: LiveHall, kind: str) -> None:
    source = hall.ethernet(kind)
    believed(source)
    at, guid = hall.clock.seconds(), hall.wiring.by_name["eth-2"].guid
    hall.change(lambda wiring: wiring.power(guid, False, at))
    done = discover(source)
    assert (done.status, source.state) == ("held_back", "partial") and Finding.objects.count() == 0
