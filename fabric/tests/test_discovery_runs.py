"""A quick look at a few ports: of them alone where the source can tell, else the whole, with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Site
from fabric.discovery.services import port_reads, spot_checks
from fabric.discovery.services.readers import CaptureParts, Part, SourceUnreadable
from fabric.facts import PlannedPort
from fabric.tests.small import guid_of, small_fabric

pytestmark = pytest.mark.django_db
LEAF, SPINE = PlannedPort("leaf-1", 33), PlannedPort("spine-1", 1)


class Ufm:
    """Answers with the links of the systems that it is asked for."""

    def __init__(self, links: dict[str, list[dict[str, Any]] | None]) -> None:
        self.links_of, self.asked = links, list[str]()

    async def __aenter__(self) -> Ufm:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        return None

    async def links(self, system: str) -> list[dict[str, Any]] | None:
        self.asked.append(system)
        return self.links_of.get(system)


def link(a: str, a_port: int, b: str, b_port: int) -> dict[str, Any]:
    return {
        "name": f"{guid_of(a)}_{a_port}:{guid_of(b)}_{b_port}", "width": "IB_4x",
        "source_guid": guid_of(a), "source_port": a_port, "destination_guid": guid_of(b), "destination_port": b_port,
    }  # fmt: skip


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes when the whole fabric is read, which cannot be."""
    asked: list[str] = []

    def read(source: object) -> CaptureParts:
        asked.append("whole")
        return CaptureParts([Part("resources", "ufm", "")])

    monkeypatch.setattr(spot_checks, "read_source", read)
    return asked


def test_ufm_is_asked_for_the_links_of_one_switch(monkeypatch: pytest.MonkeyPatch, whole: list[str]) -> None:
    source = small_fabric(Site.objects.create(slug="x", name="X"))
    ufm = Ufm({guid_of("leaf-1"): [link("leaf-1", 33, "spine-1", 1)]})
    monkeypatch.setattr(port_reads, "client_of", lambda source: ufm)
    look = spot_checks.look_at_ports(source, [LEAF, PlannedPort("leaf-1", 34)])
    assert look.far == {LEAF: SPINE, PlannedPort("leaf-1", 34): None} and (look.problem, look.whole) == ("", "")
    assert ufm.asked == [guid_of("leaf-1")] and not whole


def test_no_links_of_a_switch_are_no_data_and_the_whole_is_read(
    monkeypatch: pytest.MonkeyPatch, whole: list[str]
) -> None:
    source = small_fabric(Site.objects.create(slug="x", name="X"))
    monkeypatch.setattr(port_reads, "client_of", lambda source: Ufm({}))
    look = spot_checks.look_at_ports(source, [LEAF])
    assert whole and look.far == {} and "UFM reports no links" in look.whole and "empty" in look.problem


@pytest.mark.parametrize(
    ("kind", "why"), [("lldp", "only read as a whole"), ("ibdiags", "name the machine"), ("ufm", "refuses")]
)
def test_why_the_whole_was_read_is_told(kind: str, why: str, monkeypatch: pytest.MonkeyPatch, whole: list[str]) -> None:
    def refuse(source: object) -> Ufm:
        raise SourceUnreadable("port 443 refuses connections")

    source = small_fabric(Site.objects.create(slug="x", name="X"), kind=kind)
    monkeypatch.setattr(port_reads, "client_of", refuse)
    assert why in spot_checks.look_at_ports(source, [LEAF]).whole and whole
