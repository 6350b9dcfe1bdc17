"""Routes of all rooms name a record by its id or by its name: `?site=north` is `?site=1`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from core.models import Role, Site
from core.openapi.references import word_of, words
from core.rest.references import numbers_in_body
from core.services import ensure_user
from core.webhooks.models import Webhook
from fabric.discovery.models.seen import FabricLink
from fabric.discovery.models.sources import FabricSource
from fabric.wiring.models.findings import Finding
from fabric.wiring.models.plans import AsBuiltPlan
from health.machines.models.machines import Pool
from health.overview.queries.machines import pool_name
from health.schedulers.models import SchedulerSource
from inventory.models import Cable, Device, Port, Rack, Room, Stock, StoragePlace
from tests.schema import api_document

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(client: Client) -> Client:
    call_command("load_fleet", "inventory/fleets/two-sites.yaml", verbosity=0)
    client.force_login(ensure_user("root", role=Role.ADMIN)[0])
    return client


def named_parameters() -> list[tuple[str, str, str]]:
    """(path, parameter, what the view reads: id or name) of every list that is narrowed by a record."""
    shared = api_document()["components"].get("parameters", {})
    found = []
    for path, methods in api_document()["paths"].items():
        for each in methods.get("get", {}).get("parameters", ()):
            stated = shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
            if "{" not in path and stated["in"] == "query" and "x-takes" in stated["schema"]:
                found.append((path, stated["name"], stated["schema"]["x-takes"]))
    return found


def view_of(path: str) -> Any:
    return resolve(re.sub(r"{[^}]+}", "1", path)).func


def samples() -> dict[str, tuple[int, str]]:
    """A record for each word: its id and its name."""
    site = Site.objects.get(slug="north")
    room = Room.objects.filter(site=site).order_by("pk")[0]
    rack = Rack.objects.filter(room=room).order_by("pk")[0]
    machine = Device.objects.filter(site=site, kind="machine").order_by("pk")[0]
    return {
        "site": (site.pk, site.slug), "room": (room.pk, room.name), "rack": (rack.pk, rack.name),
        "machine": (machine.pk, machine.name), "device": (machine.pk, machine.name),
        "model": (machine.model_id, machine.model.slug),
    }  # fmt: skip


@pytest.mark.slow
def test_every_parameter_that_takes_the_id_of_a_record_takes_its_name(client: Client) -> None:
    told = samples()
    walked = 0
    for path, name, takes in named_parameters():
        if takes == "id":
            refused = client.get(path, {name: "no-such-record"})
            assert refused.status_code == 400, (path, name)
            assert "There is no " in str(refused.json()["error"]["fields"][name]), (path, name)
        if name in told:
            near = {"site": "north"} if name in ("room", "rack") and (path, "site", "id") in named_parameters() else {}
            pk, text = told[name]
            by_id, by_name = client.get(path, near | {name: pk}), client.get(path, near | {name: text})
            assert by_id.status_code == by_name.status_code, (path, name, by_name.content[:300])
            walked += by_name.status_code == 200
    assert walked > 40


def test_every_field_of_a_body_that_takes_the_id_of_a_record_takes_its_name(client: Client) -> None:
    walked = set()
    for path, methods in api_document()["paths"].items():
        for method in set(methods) & {"post", "put", "patch"}:
            if "{" in path:
                continue
            for name, word in numbers_in_body(view_of(path), method.upper()).items():
                lost = "no-such-record" if isinstance(word, str) else [dict.fromkeys(word, "no-such-record")]
                answer = getattr(client, method)(path, {name: lost}, content_type="application/json")
                if answer.status_code == 415:  # takes a file, and the form around it
                    continue
                assert answer.status_code == 400, (path, name)
                assert "There is no " in str(answer.json()["error"]["fields"][name]), (path, name)
                walked.add((path, name))
    assert len(walked) > 30
    assert {name for _, name in walked} >= {"site", "machine", "source", "plan", "pool", "pairs", "port", "grants"}
    kill = client.post(
        "/api/health/automation/kill/", {"site": "north", "reason": "x"}, content_type="application/json"
    )
    assert kill.status_code == 200, kill.content


# ---- what the document says ----

LARGEST = 2**61
"""An integer that may be larger, or has no bound, may be the id of a record."""
NO_NAME = {
    "id": "the id itself",
    "ids": "proposals of names, which have none themselves",
    "run": "a training run's key is that of all its attempts",
    "device_id": "beside `device`, which takes a name",
    "incident": "an incident is a time and what it is about; nothing names it",
    "with": "another run; runs share their names",
    "bmcs": "addresses of a discovery, numbered in it",
    "delivery": "a purchase order may come in several deliveries",
    "fault": "a fault is a code, a part and a time; nothing names it",
    "against": "versions of a runbook are numbered within their site",
    "vendor_return": "a request to a vendor has no name of its own",
    "object": "also of records that are gone; `kind` says of what kind",
}
NO_RECORD = {
    "code": "number of an event as its source reports it", "port": "number of a port as an event reports it",
    "rail": "of a link", "weekday": "0 is Monday", "days": "so many", "hours": "so many", "after": "number of a line",
    "rank": "of a run", "local_rank": "of a run", "attempt": "of a run", "world_size": "of a run",
    "step": "of a run", "at": "a moment", "seconds": "so many", "loss": "a number", "tokens": "so many",
    "nan": "a place in a list", "compute": "seconds", "wait": "seconds", "points": "of a curve",
    "parameters": "of a model", "flops_per_token": "of a model", "expected_step_s": "seconds", "clock_mhz": "measured",
    "power_w": "measured", "temperature_c": "measured",
    "gpu_hour_rate": "money", "tariff_per_kwh": "money", "order": "of a step of a proposal",
    "rows": "of a file", "page": "of a list", "page_size": "of a list", "size": "of a file", "width": "of a picture",
    "height": "of a picture", "value": "what a system outside measured", "caches": "so many", "nic_gbit": "a rate",
    "size_bytes": "of an image", "uplink_gbit": "a rate", "uplinks": "so many",
}  # fmt: skip

LOOKUP = re.compile(r"__(ne|in|[gl]te?)$")


def schemas_of(schema: dict[str, Any], seen: frozenset[str] = frozenset()) -> Iterator[tuple[str, dict[str, Any]]]:
    """(field, its schema) of a schema and all in it; a list is its items."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in seen:
            yield from schemas_of(api_document()["components"]["schemas"][name], seen | {name})
        return
    for each in (*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from schemas_of(each, seen)
    if "items" in schema:
        yield from schemas_of(schema["items"], seen)
    for name, field in schema.get("properties", {}).items():
        one = in_lists(field)
        yield name, one
        yield from schemas_of(one, seen)


def in_lists(schema: dict[str, Any]) -> dict[str, Any]:
    return in_lists(schema["items"]) if "items" in schema else schema


def bodies() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(path, method, schema) of every body that is read, but those of the kinds of the inventory."""
    for path, methods in api_document()["paths"].items():
        kinds_own = getattr(view_of(path).cls, "refuses_unknown_filters", False)
        for method, operation in methods.items():
            for content in operation.get("requestBody", {}).get("content", {}).values() if not kinds_own else ():
                yield path, method, content["schema"]


@pytest.mark.slow
def test_the_document_says_id_or_name_where_a_body_takes_either() -> None:
    told: dict[tuple[str, str], set[str]] = {}
    for path, method, schema in bodies():
        for name, field in schemas_of(schema):
            if "x-takes" in field:
                told.setdefault((path, method), set()).add(name)
                forms = [form["type"] for form in field["oneOf"]]
                assert forms[:2] == ["integer", "string"], (path, name)
                assert "Id or " in field["description"], (path, name)
    for path, method, _ in bodies():
        taken = numbers_in_body(view_of(path), method.upper())
        names = {each for name, word in taken.items() for each in ([name] if isinstance(word, str) else word)}
        assert told.get((path, method), set()) == names, (path, method)
    assert len(told) > 40
    site = api_document()["components"]["schemas"]["SiteWhyRequest"]["properties"]["site"]
    assert site["description"] == "Id or slug."


def test_the_document_says_that_answers_have_the_id() -> None:
    for path, methods in api_document()["paths"].items():
        for operation in methods.values():
            for answer in operation["responses"].values():
                for content in answer.get("content", {}).values():
                    taking = [name for name, field in schemas_of(content["schema"]) if "x-takes" in field]
                    assert not taking, (path, taking)


def may_be_an_id(schema: dict[str, Any]) -> bool:
    """Whether it is a number that no bound keeps from being the id of a record."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    bound = schema.get("maximum")
    return not {"integer", "number"}.isdisjoint(kinds) and "enum" not in schema and (bound is None or bound > LARGEST)


@pytest.mark.slow
def test_a_number_or_a_text_in_a_request_is_not_the_only_way_to_name_a_record_that_has_a_name() -> None:
    """A new field or parameter that takes an id only fails here: give its word a `Find`, or say why it has no name."""
    found = set()
    for path, method, schema in bodies():
        found |= {(name, f"{method} {path}") for name, field in schemas_of(schema) if may_be_an_id(field)}
    shared = api_document()["components"]["parameters"]
    for path, methods in api_document()["paths"].items():
        for method, operation in methods.items():
            if method == "get" and getattr(view_of(path).cls, "refuses_unknown_filters", False):
                continue  # the filters of its fields: inventory/tests/test_references.py
            for each in operation.get("parameters", ()):
                stated = shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
                text_only = stated["schema"].get("type") == "string" and word_of(stated["name"], view_of(path).cls)
                if stated["in"] == "query" and (text_only or may_be_an_id(stated["schema"])):
                    found.add((LOOKUP.sub("", stated["name"]), f"{method} {path}"))
    unknown = sorted((name, where) for name, where in found if name not in NO_NAME | NO_RECORD)
    assert unknown == []
    assert {name for name, _ in found} == (NO_NAME | NO_RECORD).keys()


# ---- records of the rooms, by name ----


@pytest.fixture
def north(client: Client) -> Site:
    return Site.objects.get(slug="north")


def post(client: Client, path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(path, body, content_type="application/json")
    assert answer.status_code < 300, answer.content
    return dict(answer.json())


def refusal(client: Client, path: str, **body: Any) -> Any:
    answer = client.post(path, body, content_type="application/json")
    assert answer.status_code == 400, answer.content
    return answer.json()["error"]["fields"]


def count(client: Client, path: str, **query: Any) -> int:
    answer = client.get(path, query)
    assert answer.status_code == 200, answer.content
    return int(answer.json()["count"])


def test_a_source_of_a_fabric_goes_by_its_name_and_its_site_tells_two_of_one_name_apart(
    client: Client, north: Site
) -> None:
    south = Site.objects.exclude(pk=north.pk).get()
    sources = [FabricSource.objects.create(site=site, name="ufm", kind="file") for site in (north, south)]
    assert client.get("/api/fabric/wiring/", {"source": "ufm"}).json()["error"]["fields"] == {
        "source": ["Several sources are named 'ufm': give its id, or its site beside it."]
    }
    assert count(client, "/api/fabric/captures/", source=sources[0].pk) == 0
    assert count(client, "/api/fabric/wiring/", source="ufm", site="north") == 0
    FabricSource.objects.filter(pk=sources[1].pk).update(name="lldp")
    for path in ("discoveries", "captures", "findings", "names", "links", "events", "burn-ins", "port-actions"):
        assert count(client, f"/api/fabric/{path}/", source="ufm") == 0, path
    asked = refusal(client, "/api/fabric/port-actions/", source="lost", link="a:b", cause="x")
    assert asked == {"source": ["There is no source 'lost'."]}


def test_where_a_route_takes_a_name_or_a_label_the_id_does_as_well(client: Client, north: Site) -> None:
    cable = Cable.objects.filter(site=north).order_by("pk")[0]
    machine = Device.objects.filter(site=north, kind="machine").order_by("pk")[0]
    source = FabricSource.objects.create(site=north, name="ufm", kind="file")
    ends = {"a_name": f"{machine.name} mlx5_0", "a_number": 1, "b_name": "leaf-1", "b_number": 1}
    FabricLink.objects.create(source=source, key="k", state="dark", since=timezone.now(), **ends)
    for machine_said in (machine.pk, machine.name):
        assert count(client, "/api/fabric/wiring/", machine=machine_said) == 1
    now = timezone.now()
    detail: dict[str, Any] = {"moves": []}
    Finding.objects.create(
        site=north, source=source, kind="missing", key="k", title="t", text="t", detail=detail, cables=[cable.label],
        device_ids=[machine.pk], first_seen_at=now, last_seen_at=now,
    )  # fmt: skip
    for query in ({"cable": cable.pk}, {"cable": cable.label}, {"device": machine.pk}, {"device": machine.name}):
        assert count(client, "/api/fabric/findings/", **query, site="north") == 1, query


def test_an_as_built_plan_goes_by_its_name(client: Client, north: Site) -> None:
    plan = AsBuiltPlan.objects.create(site=north, name="as laid", content=b"", cables=0, devices=0)
    made = post(client, "/api/fabric/sources/", site="north", name="files", kind="file", plan="as laid")
    assert made["plan"] == plan.pk


def test_a_port_goes_by_its_name_with_its_device_and_by_its_name_where_that_is_beside_it(
    client: Client, north: Site
) -> None:
    leaf = Device.objects.get(site=north, name="leaf-1")
    free = client.get("/api/fabric/ports/", {"device": "leaf-1", "device__site": "north"}).json()["results"]
    one, two = (leaf.ports.get(pk=each["id"]) for each in free[:2])
    made = post(client, "/api/fabric/reserved-ports/", port=f"{leaf.name} {one.name}", owner="storage")
    assert made["port"] == one.pk
    beside = {"port": two.name, "device": leaf.name, "owner": "storage"}
    assert post(client, "/api/fabric/reserved-ports/", **beside)["port"] == two.pk
    assert count(client, "/api/fabric/reserved-ports/", port=f"{leaf.name} {one.name}") == 1
    assert count(client, "/api/fabric/reserved-ports/", port__device=leaf.name, port__device__site="north") == 2
    cabled = Port.objects.filter(device=leaf, strand_ends__isnull=False).order_by("pk")[0]
    told = [client.get("/api/cables/", {"port": text}).json() for text in (cabled.pk, f"leaf-1 {cabled.name}")]
    assert told[0]["count"] == told[1]["count"] == 1
    traced = [client.get("/api/trace/", {"port": text}).json() for text in (f"{leaf.name} {one.name}", str(one.pk))]
    assert traced[0] == traced[1]
    lost = client.get("/api/trace/", {"port": f"{one.pk},{leaf.name} 99/9"}).json()["error"]["fields"]
    assert lost == {"port": [f"There is no port '{leaf.name} 99/9'."]}


def test_the_address_of_a_route_says_whose_port_a_name_means(client: Client, north: Site) -> None:
    machine = Device.objects.filter(site=north, kind="machine").order_by("-pk")[0]
    port = machine.ports.order_by("pk")[0]
    assert machine.site.devices.filter(kind="machine", ports__name=port.name).count() > 1
    body = {"address": "10.9.8.7", "port": port.name}
    added = client.post(f"/api/machines/{machine.pk}/addresses/", body, content_type="application/json").json()
    assert [each["port"] for each in added if each["address"] == "10.9.8.7"] == [port.pk]


def test_a_pool_goes_by_its_role_with_its_model_where_several_have_the_role(client: Client, north: Site) -> None:
    pool = Pool.objects.filter(site=north).order_by("pk")[0]
    shown = pool_name(pool)
    assert shown
    for name in (pool.role, f"{pool.role} {pool.model.slug}", shown):
        by_id = client.get("/api/machines/", {"pool": pool.pk}).json()["count"]
        assert count(client, "/api/machines/", pool=name, site="north") == by_id > 0, name
    other = Pool.objects.create(site=north, role=pool.role, model=Device.objects.get(name="leaf-1", site=north).model)
    told = client.get("/api/machines/", {"pool": pool.role, "site": "north"}).json()["error"]["fields"]["pool"]
    assert told == [f"Several pools are named {pool.role!r}: give its id, or its site or model beside it."]
    assert count(client, "/api/machines/", pool=f"{other.role} {other.model.slug}") == 0


def test_machines_go_by_name_in_lists_and_in_lists_of_pairs_with_one_look_up(
    client: Client, north: Site, django_assert_max_num_queries: Any
) -> None:
    names = list(Device.objects.filter(site=north, kind="machine").order_by("pk").values_list("name", flat=True)[:4])
    path = "/api/health/active-runs/plan/"
    with django_assert_max_num_queries(30):
        told = client.post(path, {"kind": "ib-pairs", "machines": names}, content_type="application/json").json()
    assert told, told
    lost = refusal(client, path, kind="ib-pairs", pairs=[[names[0], "lost-1"], [names[1], names[2]]])
    assert lost == {"pairs": ["There is no device 'lost-1'."]}


def test_a_scheduler_goes_by_its_site(client: Client, north: Site) -> None:
    SchedulerSource.objects.create(site=north)
    assert count(client, "/api/health/scheduler/machines/", source="north") == 0
    assert client.get("/api/health/scheduler/machines/", {"source": "nowhere"}).status_code == 400


def test_a_role_names_its_site_in_the_body_of_a_person(client: Client, north: Site) -> None:
    person = {"username": "olga", "password": "another horse battery"}
    grants = [{"site": "north", "role": "operator"}, {"site": None, "role": "viewer"}]
    made = post(client, "/api/users/", **person, grants=grants)
    assert {each["site"] for each in made["grants"]} == {north.pk, None}


def test_a_webhook_goes_by_its_name_for_those_who_may_see_it(client: Client, north: Site) -> None:
    Webhook.objects.create(site=north, name="chat", url="https://chat.example", secret=b"")
    assert count(client, "/api/webhook-deliveries/", webhook="chat") == 0
    client.force_login(ensure_user("reader", role=Role.VIEWER)[0])
    told = [client.get("/api/webhook-deliveries/", {"webhook": name}) for name in ("chat", "none")]
    assert [each.json()["error"]["fields"] for each in told] == [
        {"webhook": ["There is no webhook 'chat'."]}, {"webhook": ["There is no webhook 'none'."]}
    ]  # fmt: skip


def test_racks_of_a_length_rule_and_a_part_in_stock_go_by_name(client: Client, north: Site) -> None:
    racks = Rack.objects.filter(room__site=north).order_by("pk")[:2]
    ends = {"a_rack": racks[0].name, "b_rack": racks[1].name}
    made = post(client, "/api/fabric/length-table/", site="north", length_m="5.00", **ends)
    assert {made["a_rack"], made["b_rack"]} == {rack.pk for rack in racks}
    assert count(client, "/api/fabric/length-table/", a_rack=made["a_rack"]) == 1
    storage = StoragePlace.objects.create(site=north, name="shelf")
    for vendor in ("a", "b"):
        Stock.objects.create(storage=storage, kind="optic", vendor=vendor, part_number="OSFP-SR8", quantity=1)
    find = words["stock"]
    roles: dict[int | None, Role] = {None: Role.OPERATOR}
    with pytest.raises(ValueError, match="Several stock are named"):
        find(["OSFP-SR8"], roles, {})
    assert find(["OSFP-SR8"], roles, {"vendor": ["b"], "storage": ["shelf"]}) == [Stock.objects.get(vendor="b").pk]


def test_a_name_of_a_site_that_one_may_not_see_is_as_good_as_absent(client: Client) -> None:
    north, south = Site.objects.order_by("slug")[:2]
    client.force_login(ensure_user("local", role=Role.ADMIN, site=north)[0])
    assert client.get("/api/tickets/", {"site": north.slug}).status_code == 200
    hidden, absent = client.get("/api/tickets/", {"site": south.slug}), client.get("/api/tickets/", {"site": "none"})
    assert (hidden.status_code, absent.status_code) == (400, 400)
    assert hidden.json()["error"]["fields"] == {"site": [f"There is no site {south.slug!r}."]}


def test_strangers_learn_no_names(client: Client) -> None:
    client.logout()
    for site in ("north", "none"):
        answer: Any = client.get("/api/tickets/", {"site": site})
        assert answer.status_code == 401


def test_a_session_names_records_in_a_body_that_its_csrf_check_reads_first(client: Client) -> None:
    """That check looks for its token in the body, before it is settled who asks."""
    browser = Client(enforce_csrf_checks=True, headers={"X-CSRFToken": "a" * 32})
    browser.cookies["csrftoken"] = "a" * 32
    browser.force_login(ensure_user("root", role=Role.ADMIN)[0])
    kill = {"site": "north", "reason": "x"}
    assert browser.post("/api/health/automation/kill/", kill, content_type="application/json").status_code == 200
    other = Client(enforce_csrf_checks=True)
    other.cookies = browser.cookies
    assert other.post("/api/health/automation/kill/", kill, content_type="application/json").status_code == 403
