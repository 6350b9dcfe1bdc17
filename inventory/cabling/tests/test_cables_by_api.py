"""Cables of every form written through the API are traced as they were meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from core.models import Role, Site
from inventory.models import Connector, Port, StrandEnd

pytestmark = pytest.mark.django_db

AsRole = Callable[..., APIClient]


def ends_of(client: APIClient, device: str, port: str) -> list[str]:
    """Where a port leads, as device and port."""
    pk = Port.objects.get(device__name=device, name=port).pk
    answer = client.get(f"/api/trace/{pk}/").json()
    return [f"{end['device']['name']} {end['name']}" for end in answer["ends"]]


def lay(client: APIClient, site: Site, label: str, **fields: Any) -> Any:
    given = {"site": site.pk, "label": label, "type": "DAC"} | fields
    answer = client.post("/api/cables/", given, format="json")
    assert answer.status_code == 201, answer.content
    return answer.json()


@pytest.fixture
def north(two_sites: tuple[Site, Site]) -> Site:
    return two_sites[0]


def test_a_twin_cable_joins_its_lanes(north: Site, as_role: AsRole) -> None:
    client = as_role(Role.OPERATOR)
    lay(client, north, "T-1", a=["leaf-1 20/1", "leaf-1 20/2"], b=["leaf-2 20/1", "leaf-2 20/2"])
    assert ends_of(client, "leaf-1", "20/2") == ["leaf-2 20/2"]
    assert Connector.objects.filter(cable__label="T-1").count() == 2


def test_a_fan_out_leads_to_every_leg(north: Site, as_role: AsRole) -> None:
    client = as_role(Role.OPERATOR)
    lay(client, north, "F-1", a="leaf-1 21/1", b=["hgx-a01-01 mlx5_6", "hgx-a01-02 mlx5_6"])
    assert ends_of(client, "leaf-1", "21/1") == ["hgx-a01-01 mlx5_6", "hgx-a01-02 mlx5_6"]
    assert ends_of(client, "hgx-a01-02", "mlx5_6") == ["leaf-1 21/1"]


def test_a_breakout_of_a_cage_has_a_plug_and_a_serial_for_each_leg(north: Site, as_role: AsRole) -> None:
    client = as_role(Role.OPERATOR)
    legs = [
        {"device": f"hgx-a01-0{n}", "port": "mlx5_9", "connector": n, "lane": n, "serial": f"LEG-{n}"} for n in (1, 2)
    ]
    lay(client, north, "Y-1", a=["leaf-2 22/1", "leaf-2 22/2"], b=legs)
    assert ends_of(client, "leaf-2", "22/2") == ["hgx-a01-02 mlx5_9"]
    plugs = Connector.objects.filter(cable__label="Y-1").order_by("side", "number")
    assert [(plug.side, plug.number, plug.serial) for plug in plugs] == [
        ("A", 1, ""), ("B", 1, "LEG-1"), ("B", 2, "LEG-2"),
    ]  # fmt: skip


def test_a_removed_cable_stays_and_its_ports_are_free_for_the_next(north: Site, as_role: AsRole) -> None:
    client = as_role(Role.OPERATOR)
    cable = lay(client, north, "X-1", a="leaf-1 23/1", b="leaf-2 23/1")
    answer = client.patch(f"/api/cables/{cable['id']}/", {"status": "removed"}, format="json")
    assert answer.status_code == 200, answer.content
    assert not StrandEnd.objects.filter(connector__cable=cable["id"]).exists()
    assert Connector.objects.filter(cable=cable["id"]).count() == 2
    assert ends_of(client, "leaf-1", "23/1") == []
    lay(client, north, "X-2", a="leaf-1 23/1", b="leaf-2 23/1", status="to_move")
    assert ends_of(client, "leaf-1", "23/1") == ["leaf-2 23/1"]


def test_a_port_in_use_is_refused_with_the_cable_that_is_in_it(north: Site, as_role: AsRole) -> None:
    client = as_role(Role.OPERATOR)
    given = {"site": north.pk, "label": "N-1", "type": "DAC", "a": "leaf-1 1/1", "b": ["leaf-2 24/1", "leaf-2 24/2"]}
    answer = client.post("/api/cables/", given, format="json")
    assert answer.status_code == 400
    assert "C-00001" in str(answer.json())
