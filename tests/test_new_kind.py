"""A kind of record added as docs/how-to-add.md says: a table, a record class with its `Kind`, its word in the history.

From that alone come its list and its records, filters, bulk writes, files in and out, the history and the rights. It is
added in this process and taken out again; its table lives in the transaction of the test.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Annotated, Any, ClassVar

import pytest
from django.apps import apps
from django.db import connection, models
from django.urls import include, path
from pydantic import Field
from rest_framework.test import APIClient

from config import urls
from core.audit import tables, triggers
from core.models import Role, Site
from core.rest.router import BulkRouter
from inventory.api.kinds import KindViewSet, view_of
from inventory.kinds import KINDS, Kind, Scope, write
from inventory.kinds.records import Record, Ref, Text, To, Word
from inventory.tests.conftest import as_role, two_sites  # noqa: F401  (fixtures)
from inventory.transfer.export import export
from inventory.transfer.imports import import_file

pytestmark = pytest.mark.django_db
AsRole = Callable[..., APIClient]


def forget_what_models_there_are() -> None:
    apps.clear_cache()
    for kept in vars(tables).values():
        if hasattr(kept, "cache_clear"):
            kept.cache_clear()


@pytest.fixture
def gauges(db: None, settings: object) -> Iterator[Kind]:
    """The three steps of the page, and afterwards as if nothing had been."""

    class Gauge(models.Model):
        site = models.ForeignKey("core.Site", on_delete=models.CASCADE, related_name="+")
        name = models.CharField(max_length=40)
        limit_kpa = models.PositiveIntegerField()
        note = models.CharField(max_length=100, blank=True)

        class Meta:
            app_label = "inventory"
            constraints: ClassVar = [models.UniqueConstraint(fields=["site", "name"], name="one_gauge_of_a_name")]

    class GaugeRecord(Record):
        site: Annotated[Ref, To("sites")]
        name: Word = Field(max_length=40)
        limit_kpa: int = Field(ge=0, le=2000, description="Where it rings.")
        note: Text = Field("", max_length=100)

    kind = Kind("gauges", GaugeRecord, Gauge, key=("site", "name"), search=("name",))
    tables.audited("inventory.Gauge", kind="gauges", name=("name",), undo=Role.OPERATOR)
    forget_what_models_there_are()
    with connection.schema_editor(atomic=False) as editor:
        editor.create_model(Gauge)
    triggers.install()
    router = BulkRouter()
    router.register("gauges", view_of("gauges", KindViewSet), basename="gauges")
    routes = ModuleType("routes_with_gauges")
    routes.urlpatterns = [path("api/", include(router.urls)), *urls.urlpatterns]  # type: ignore[attr-defined]
    settings.ROOT_URLCONF = routes  # type: ignore[attr-defined]
    yield kind
    del KINDS["gauges"], apps.all_models["inventory"]["gauge"], tables._declared["inventory.gauge"]
    forget_what_models_there_are()


def test_a_kind_added_as_the_page_says_has_lists_records_and_rights(
    gauges: Kind,
    two_sites: tuple[Site, Site],  # noqa: F811
    as_role: AsRole,  # noqa: F811
) -> None:
    north, south = two_sites
    body = {"site": "north", "name": "G1", "limit_kpa": 300}
    assert as_role("viewer").post("/api/gauges/", body, format="json").status_code == 403
    elsewhere = as_role("operator", site=south).post("/api/gauges/", body, format="json")
    assert (elsewhere.status_code, list(elsewhere.json()["error"]["fields"])) == (400, ["site"]), "a site not seen"
    client = as_role("operator", site=north)
    made = client.post("/api/gauges/", body, format="json")
    assert made.status_code == 201, made.content
    pk = made.json()["id"]
    wrong = client.post("/api/gauges/", body | {"name": "G2", "limit_kpa": 9000}, format="json")
    assert (wrong.status_code, list(wrong.json()["error"]["fields"])) == (400, ["limit_kpa"])
    listed = client.get("/api/gauges/", {"limit_kpa__gte": "200", "search": "G1"}).json()
    assert [row["name"] for row in listed["results"]] == ["G1"]
    assert client.get("/api/gauges/", {"limit_kpa__gte": 400}).json()["count"] == 0
    assert client.get(f"/api/gauges/{pk}/").json()["limit_kpa"] == 300
    assert as_role("viewer", site=south).get(f"/api/gauges/{pk}/").status_code == 404, "another site's"
    assert client.patch(f"/api/gauges/{pk}/", {"limit_kpa": 350}, format="json").status_code == 200
    told = next(row for row in client.get("/api/kinds/").json()["results"] if row["name"] == "gauges")
    assert {field["name"] for field in told["fields"]} >= {"site", "name", "limit_kpa", "note"}
    history = client.get("/api/history/", {"kind": "gauges"})
    assert history.status_code == 200, history.content
    assert len(history.json()["results"]) == 2, "made, and changed"
    assert client.delete(f"/api/gauges/{pk}/").status_code in (200, 204)
    assert client.get(f"/api/gauges/{pk}/").status_code == 404


@pytest.mark.slow
def test_a_kind_added_as_the_page_says_goes_into_files_and_comes_out_of_them(
    gauges: Kind,
    two_sites: tuple[Site, Site],  # noqa: F811
) -> None:
    rows = [{"site": "north", "name": f"G{n}", "limit_kpa": 100 * n} for n in (1, 2)]
    everywhere: dict[str, Any] = {"scope": Scope.everything(), "actor": "a test"}
    dry = write("gauges", rows, dry_run=True, **everywhere)
    assert dry.created == 2 and not gauges.model._default_manager.exists()
    assert write("gauges", rows, **everywhere).created == 2
    text = b"".join(export("gauges", "csv"))
    out = list(csv.DictReader(io.StringIO(text.decode("utf-8-sig"))))
    assert [(row["name"], row["limit_kpa"]) for row in out] == [("G1", "100"), ("G2", "200")]
    file = import_file(gauges, "gauges.csv", text.replace(b",100,", b",150,"), **everywhere)
    assert (file.changed, file.unchanged) == (1, 1), file.errors()
    bad = write("gauges", [{**rows[0], "limit_kpa": 7}, {**rows[1], "site": "nowhere"}], **everywhere)
    assert bad.errors() and not gauges.model._default_manager.filter(limit_kpa=7).exists(), "all or nothing"
