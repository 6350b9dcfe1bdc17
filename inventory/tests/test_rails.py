"""Which port serves which rail, where it leads, and cables to the leaf of another rail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from core.models import Site
from inventory.kinds import Scope, write
from inventory.models import Device, Port, StrandEnd
from inventory.queries.rails import majority, rail_report

pytestmark = pytest.mark.django_db

RAIL_HCAS = ["mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"]


def test_the_rails_of_a_machine_name_gpu_adapter_and_leaf(small: Path, as_role: Callable[..., APIClient]) -> None:
    machine = Device.objects.get(name="hgx-a01-02")
    client = as_role("viewer")
    with CaptureQueriesContext(connection) as seen:
        rails = client.get(f"/api/machines/{machine.pk}/rails/").json()["results"]
    assert [each["rail"] for each in rails] == list(range(1, 9))
    assert [each["port"] for each in rails] == RAIL_HCAS
    assert {key: rails[4][key] for key in ("gpu_slot", "gpu_label", "hca_slot")} == {
        "gpu_slot": "GPU 4", "gpu_label": "SXM 7", "hca_slot": "HCA mlx5_6",
    }  # fmt: skip
    far = rails[4]["far"]
    assert (far["device"].endswith("-r5"), far["port"], far["tier"]) == (True, "1/2", "leaf")
    assert len(seen) <= 6


def test_a_rail_without_a_cable_has_no_far_end(small: Path, as_role: Callable[..., APIClient]) -> None:
    bare = Device.objects.filter(kind="machine", status="planned").first()
    assert bare
    rails = as_role("viewer").get(f"/api/machines/{bare.pk}/rails/").json()["results"]
    assert len(rails) == 8 and {each["far"] for each in rails} == {None}


def test_the_rails_of_another_sites_machine_are_not_told(
    two_sites: tuple[Site, Site], as_role: Callable[..., APIClient]
) -> None:
    machine = Device.objects.get(name="hgx-a01-01")
    assert as_role("viewer", site=two_sites[1]).get(f"/api/machines/{machine.pk}/rails/").status_code == 404


def crossed(machine: str, one: str, other: str) -> None:
    """Pull two rail cables of a machine and put each where the other was."""
    ends = [StrandEnd.objects.get(port__device__name=machine, port__name=name) for name in (one, other)]
    ports = [end.port_id for end in ends]
    StrandEnd.objects.filter(pk=ends[0].pk).delete()
    StrandEnd.objects.filter(pk=ends[1].pk).update(port_id=ports[0])
    StrandEnd.objects.create(connector_id=ends[0].connector_id, lane=ends[0].lane, port_id=ports[1])


def test_crossed_rails_are_reported_with_the_rail_of_the_leaf(small: Path, as_role: Callable[..., APIClient]) -> None:
    site = Site.objects.get()
    client = as_role("viewer")
    sound = client.get("/api/rails/report/", {"site": site.pk}).json()
    assert (sound["checked"], sound["wrong"], len(sound["leaves"])) == (24 * 8, [], 8)
    assert sound["uncabled"] == 4 * 8
    crossed("hgx-a01-02", "mlx5_0", "mlx5_3")
    wrong = client.get("/api/rails/report/", {"site": site.pk}).json()["wrong"]
    assert [(each["machine"]["name"], each["port"], each["rail"], each["leaf_rail"]) for each in wrong] == [
        ("hgx-a01-02", "mlx5_0", 1, 2), ("hgx-a01-02", "mlx5_3", 2, 1),
    ]  # fmt: skip


def test_a_leaf_that_carries_several_rails_alike_is_told_apart_from_a_wrong_one(two_sites: tuple[Site, Site]) -> None:
    found = rail_report(two_sites[0].pk)
    assert found["wrong"] == []
    assert {each["name"]: each["rails"] for each in found["without_majority"]} == {
        "leaf-1": {"1": 4, "3": 4}, "leaf-2": {"2": 4, "4": 4},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rails", "most"),
    [({1: 31, 2: 1}, 1), ({1: 1}, None), ({1: 2, 2: 2}, None), ({1: 2, 2: 1, 3: 1}, None), ({7: 2}, 7)],
)
def test_a_majority_is_more_than_half_of_at_least_two(rails: dict[int, int], most: int | None) -> None:
    assert majority(Counter(rails)) == most


def test_a_new_machine_gets_the_rails_of_its_model(two_sites: tuple[Site, Site]) -> None:
    row = {"site": "north", "name": "new", "model": "dell-xe9680-h100"}
    assert write("devices", [row], scope=Scope.everything(), actor="test").ok
    rails = Port.objects.filter(device__name="new", rail__isnull=False).order_by("rail")
    assert list(rails.values_list("name", flat=True)) == RAIL_HCAS
