"""The limits of automation: one table, and the columns, the API, the document and the dashboard are equal to it."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from core.models import Role, RoleGrant, User
from health.machines.limits import TABLE, Limits, LimitsRefused, checked, is_share, range_of
from health.machines.services.limits import automation_of, limits_of
from health.models import SiteAutomation
from health.remediation.services import automation, views
from health.tests import factories as make

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]
ROUTE = "/api/health/automation/limits/"


@pytest.fixture
def site() -> int:
    make.make_machines(1)
    SiteAutomation.objects.all().delete()
    return int(make.Site.objects.get().pk)


@pytest.fixture
def admin(site: int) -> Client:
    user = User.objects.create_user("ada", password="a long password")
    RoleGrant.objects.create(user=user, role=Role.ADMIN)
    client = Client()
    client.force_login(user)
    return client


def patch(client: Client, **wanted: Any) -> Any:
    return client.patch(ROUTE, {"site": make.Site.objects.get().pk, **wanted}, "application/json")


def another(name: str) -> float:
    """A value of a limit that is not its default."""
    about, default = range_of(name), TABLE[name].default
    return about.low if default != about.low else about.high


def test_a_new_site_has_the_default_of_every_limit(site: int) -> None:
    assert limits_of(automation_of(site)) == Limits()


@pytest.mark.slow
def test_every_limit_can_be_set_and_is_what_the_guards_read(admin: Client, site: int) -> None:
    for name in TABLE:
        assert patch(admin, **{name: another(name)}).status_code == 200
        assert getattr(limits_of(automation_of(site)), name) == another(name)
    shown = admin.get("/api/health/automation/", {"site": site}).json()["limits"]
    assert shown == {name: another(name) for name in TABLE}
    for row in admin.get(ROUTE, {"site": site}).json()["results"]:
        assert (row["value"], row["default"]) == (another(row["name"]), TABLE[row["name"]].default)


@pytest.mark.slow
def test_a_value_out_of_its_range_is_refused_by_name_and_changes_nothing(admin: Client, site: int) -> None:
    for name in TABLE:
        for value in (range_of(name).low - 1, range_of(name).high + 1, "many", None):
            answer = patch(admin, **({"retries": 5, "lease_s": 60} | {name: value}))
            assert answer.status_code == 400 and f'"{name}"' in answer.content.decode(), (
                value,
                answer.content.decode(),
            )
    assert limits_of(automation_of(site)) == Limits()


def test_a_name_that_is_no_limit_is_refused_by_name_and_changes_nothing(admin: Client, site: int) -> None:
    answer = patch(admin, drains_1h=3, same_cause=4, max_drains=9)
    assert (
        answer.status_code == 400
        and '"same_cause"' in answer.content.decode()
        and '"max_drains"' in answer.content.decode()
    )
    assert "drains_1h" not in answer.content.decode()
    assert limits_of(automation_of(site)) == Limits()


def test_the_service_refuses_what_the_api_would() -> None:
    with pytest.raises(LimitsRefused) as refused:
        checked({"drains_1h": -1, "nothing": 1, "retries": True, "cause_share": float("nan"), "lease_s": 60.5})
    assert set(refused.value.fields) == {"drains_1h", "nothing", "retries", "cause_share", "lease_s"}
    assert checked({"drains_1h": 3, "cause_share": 1}) == {"drains_1h": 3, "cause_share": 1.0}


def test_the_database_keeps_every_limit_in_its_range(site: int) -> None:
    SiteAutomation.objects.create(site_id=site)
    for name in TABLE:
        with pytest.raises(IntegrityError), transaction.atomic():
            SiteAutomation.objects.update(**{name: range_of(name).high + 1})


@pytest.mark.slow
def test_table_columns_api_and_document_have_the_same_limits(admin: Client, site: int) -> None:
    names = [field.name for field in fields(Limits)]
    columns = {field.name for field in SiteAutomation._meta.get_fields()}
    assert set(names) <= columns
    shown = admin.get(ROUTE, {"site": site}).json()["results"]
    assert {row["name"] for row in shown} == set(names) == set(TABLE)
    assert all(row["title"] and row["low"] <= row["default"] <= row["high"] for row in shown)
    groups = [row["group"] for row in shown]
    assert groups == sorted(groups, key=groups.index), "the page shows them group by group"
    schema = admin.get("/api/schema/", {"format": "json"}).json()["components"]["schemas"]
    assert set(schema["PatchedLimitsRequest"]["properties"]) == {"site", *names}
    assert set(schema["LimitsAnswer"]["properties"]) == set(names)
    document = (ROOT / "docs" / "remediation.md").read_text()
    table = document[document.index("| limit | default |") :].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, flags=re.M) == [row["name"] for row in shown]
    for row in shown:
        (line,) = [line for line in table.splitlines() if line.startswith(f"| `{row['name']}` |")]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[1:] == [f"{row['default']:g}", f"{row['low']:g} to {row['high']:g}", row["unit"], row["title"]]


def test_the_dashboard_has_no_list_of_limits_of_its_own() -> None:
    """It draws the rows of the API, so it has every limit with its words, unit, range and default."""
    source = "".join(path.read_text() for path in (ROOT / "frontend/src/automation").rglob("*") if _is_code(path))
    only_here = [name for name in TABLE if "_" in name and name not in COUNTED_ELSEWHERE]
    assert [name for name in only_here if re.search(rf"\b{name}\b", source)] == []
    assert "health/automation/limits/" in source


# Numbers of the same name in other answers: budgets, guards and settings of the scheduler.
COUNTED_ELSEWHERE = {
    "min_unavailable", "min_unavailable_from", "drains_10min", "drains_1h", "power_1h", "reboots_7d", "power_spacing_s",
}  # fmt: skip


def _is_code(path: Path) -> bool:
    return path.suffix in (".ts", ".svelte") and not path.name.endswith(".test.ts")


def test_a_limit_that_a_site_set_is_what_its_guards_use(site: int) -> None:
    automation.set_limits(site, {"min_unavailable": 3, "min_unavailable_from": 1, "clock_step_s": 5}, actor="ada")
    rules = views.rules_of(automation_of(site))
    assert (rules.limits.min_unavailable, rules.limits.min_unavailable_from, rules.limits.clock_step_s) == (3, 1, 5)
    assert is_share("cause_share") and not is_share("min_unavailable")
