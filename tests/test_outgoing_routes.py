"""Every route that stores where this server connects to: each asks one rule, and a new one fails until it is here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from access.queries import bmc_targets
from access.tests.fleet import make_credentials, make_machine, make_site
from core.models import Credential, Role, Site, User
from core.services import ensure_user, set_credential
from fabric.discovery.services import ufm
from fabric.discovery.services.readers import SourceUnreadable
from fabric.models import FabricSource
from health.models import SchedulerSource
from inventory.models import Machine
from tests.schema import api_document

pytestmark = pytest.mark.django_db
LIKE_AN_ADDRESS = re.compile(
    r"(^|_)(url|uri|address|addresses|host|hosts|hostname|server|endpoint|ip|target|targets|switches|proxy|options)($|_)"
)
FORMATS = ("uri", "ipv4", "ipv6", "ip", "hostname")

CALLED = {
    ("endpoints", "address"), ("facility/meters", "address"), ("fabric/sources", "address"),
    ("fabric/sources", "options"), ("health/schedulers", "ssh_address"), ("health/schedulers", "url"),
    ("imports/netbox", "url"), ("message-channels", "url"), ("rotas", "url"), ("ticket-systems", "url"),
    ("provisioning/ironic", "url"), ("provisioning/maas", "url"), ("provisioning/mirrors", "url"),
    ("provisioning/mirrors", "token_host"), ("run-metrics-settings", "url"), ("webhooks", "url"),
    ("vendor-contacts", "url"), ("vendor-contacts", "token_url"),
}  # fmt: skip
"""Collection and field of what `core.outgoing.permits` is asked about, when it is stored and when it is called."""
OWN_KEY = {
    ("webhooks", "url"), ("message-channels", "url"), ("rotas", "url"), ("ticket-systems", "url"),
    ("provisioning/ironic", "url"), ("provisioning/maas", "url"), ("provisioning/mirrors", "url"),
    ("provisioning/mirrors", "token_host"),
    ("vendor-contacts", "url"), ("vendor-contacts", "token_url"),
}  # fmt: skip
"""Their secret comes with the address, and is for its host alone; or they have none."""
RECORDED = {
    ("devices", "bmc_ip"), ("devices", "primary_ip"), ("ip-addresses", "address"), ("machines/addresses", "address"),
    ("pdus", "bmc_ip"), ("pdus", "primary_ip"), ("switches", "bmc_ip"), ("switches", "primary_ip"),
}  # fmt: skip
"""Addresses of the inventory's devices: what is true of a device may be recorded; the gate decides at each call."""
OF_A_SITE = ("run-metrics-settings", "provisioning/ironic", "provisioning/maas")
NOT_AN_ADDRESS = {
    ("escalation-policies", "target"), ("me/bookmarks", "url"),
    ("imports/netbox", "options"), ("facility/meters", "options"), ("health/active-runs", "options"),
    ("health/active-runs/plan", "options"),
}  # fmt: skip


@pytest.fixture
def administrator() -> Client:
    return signed_in(Role.ADMIN)


def signed_in(role: Role, site: Site | None = None) -> Client:
    user, _ = ensure_user(f"{role}-{site}", role=role, site=site)
    client = Client()
    client.force_login(user)
    return client


# ---- the list is complete ----


def named_properties(schema: dict[str, Any], known: dict[str, Any], seen: tuple[str, ...] = ()) -> Iterator[Any]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in seen:
            yield from named_properties(known[name], known, (*seen, name))
        return
    for part in [*schema.get("allOf", []), *schema.get("oneOf", []), *schema.get("anyOf", [])]:
        yield from named_properties(part, known, seen)
    if isinstance(schema.get("items"), dict):
        yield from named_properties(schema["items"], known, seen)
    for name, each in schema.get("properties", {}).items():
        yield name, each
        yield from named_properties(each, known, seen)


def address_fields() -> set[tuple[str, str]]:
    document = api_document()
    found = set()
    for path, methods in document["paths"].items():
        collection = re.sub(r"(/api/|\{[^}]+\}|/$)", "", path).replace("//", "/").strip("/")
        for operation in methods.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                for name, schema in named_properties(content["schema"], document["components"]["schemas"]):
                    if LIKE_AN_ADDRESS.search(name) or schema.get("format") in FORMATS:
                        found.add((collection, name))
    return found


def test_every_field_of_the_api_that_names_an_address_is_listed_with_what_checks_it() -> None:
    """A new field that looks like an address: add it to CALLED, with a body below, or to RECORDED."""
    found = address_fields()
    assert found - NOT_AN_ADDRESS == CALLED | RECORDED


# ---- each of them asks ----


def administrator_id() -> int:
    return User.objects.get(username=f"{Role.ADMIN}-None").pk


def bodies(field: tuple[str, str], address: str) -> tuple[str, dict[str, Any]]:
    """Where to POST, and a body that is right but for this address."""
    site = make_site()
    url = f"http://{address}:6820"
    logins = {
        purpose: set_credential(
            purpose, kind="password", username="x", secret="x", purpose=purpose, hosts=["10.0.0.0/8"]
        )
        for purpose in ("slurm", "ufm", "switch", "netbox", "prometheus", "meter")
    }
    make_credentials(hosts=["10.0.0.0/8"])
    made: dict[tuple[str, str], dict[str, Any]] = {
        ("endpoints", "address"): {"machine": make_machine(address).pk, "kind": "redfish", "address": address},
        ("fabric/sources", "address"): {
            "site": site.pk, "name": "u", "kind": "ufm", "address": f"https://{address}", "credential": "ufm",
        },
        ("facility/meters", "address"): {
            "site": site.pk, "name": "m", "kind": "snmp_pdu", "address": address, "credential": "meter",
        },
        ("fabric/sources", "options"): {
            "site": site.pk, "name": "s", "kind": "nvue", "credential": "switch", "options": {"switches": [address]},
        },
        ("health/schedulers", "url"): {"site": site.pk, "url": url, "credential": "slurm"},
        ("health/schedulers", "ssh_address"): {"site": site.pk, "ssh_address": address, "ssh_credential": "ssh"},
        ("imports/netbox", "url"): {"url": url, "credential": "netbox"},
        ("provisioning/ironic", "url"): {"url": url, "username": "x", "password": "x"},
        ("provisioning/maas", "url"): {"url": url, "api_key": "consumer:token:secret"},
        ("provisioning/mirrors", "url"): {"site": site.pk, "name": "m", "kind": "apt", "url": url},
        ("provisioning/mirrors", "token_host"): {
            "site": site.pk, "name": "t", "kind": "registry", "url": "https://registry.example", "token_host": address,
        },
        ("run-metrics-settings", "url"): {"url": url, "credential": "prometheus"},
        ("message-channels", "url"): {"name": "c", "kind": "slack", "url": f"http://{address}/hook"},
        ("ticket-systems", "url"): {
            "site": site.pk, "name": "d", "kind": "jira", "url": url, "password": "x",
            "field_map": {"project": "OPS", "issue_type": "Incident"}, "acts_as": administrator_id(),
        },
        ("rotas", "url"): {"name": "r", "url": f"http://{address}/on-call.ics"},
        ("vendor-contacts", "url"): {"site": site.pk, "vendor": "hpe", "url": url},
        ("vendor-contacts", "token_url"): {"site": site.pk, "vendor": "dell", "token_url": url},
        ("webhooks", "url"): {"name": "w", "url": f"http://{address}/", "events": ["*"]},
    }  # fmt: skip
    assert logins
    return f"/api/{field[0]}/{f'{site.pk}/' if field[0] in OF_A_SITE else ''}", made[field]


def sent(client: Client, path: str, body: dict[str, Any]) -> Any:
    """A new record, or the settings of a site, which are there already."""
    of_a_site = any(name in path for name in OF_A_SITE)
    return (client.patch if of_a_site else client.post)(path, body, content_type="application/json")


@pytest.mark.parametrize("field", sorted(CALLED), ids="-".join)
@pytest.mark.parametrize("address", ["169.254.169.254", "127.0.0.1", "0.0.0.0", "224.0.0.1"])
def test_an_address_that_nobody_connects_to_is_refused_with_a_sentence(
    field: tuple[str, str], address: str, administrator: Client, settings: Any
) -> None:
    settings.LOCAL_ADDRESSES = False
    path, body = bodies(field, address)
    answer = sent(administrator, path, body)
    assert answer.status_code == 400
    assert re.search(
        r"is refused: .*address of|is refused: link-local", str(answer.json()["error"]["fields"][field[1]])
    )


@pytest.mark.parametrize("field", sorted(CALLED - OWN_KEY), ids="-".join)
def test_a_stored_secret_is_not_sent_outside_its_hosts(field: tuple[str, str], administrator: Client) -> None:
    path, body = bodies(field, "203.0.113.9")
    answer = sent(administrator, path, body)
    assert answer.status_code == 400
    assert "its hosts are 10.0.0.0/8" in str(answer.json()["error"]["fields"][field[1]])


OTHER_KIND = {
    ("endpoints", "address"): "credential", ("fabric/sources", "address"): "credential",
    ("facility/meters", "address"): "credential",
    ("fabric/sources", "options"): "credential", ("health/schedulers", "url"): "credential",
    ("health/schedulers", "ssh_address"): "ssh_credential", ("imports/netbox", "url"): "credential",
    ("run-metrics-settings", "url"): "credential",
}  # fmt: skip


@pytest.mark.parametrize("field", sorted(OTHER_KIND), ids="-".join)
def test_a_credential_of_another_kind_is_refused_with_a_sentence(field: tuple[str, str], administrator: Client) -> None:
    path, body = bodies(field, "10.0.0.7")
    login = "ufm" if body.get("credential") != "ufm" else "netbox"
    answer = sent(administrator, path, body | {OTHER_KIND[field]: login})
    assert answer.status_code == 400
    assert re.search(rf"The credential {login} is for .*, not for ", str(answer.json()["error"]["fields"]))


@pytest.mark.parametrize("field", sorted(CALLED - {("imports/netbox", "url")}), ids="-".join)
def test_what_the_rule_allows_is_stored(field: tuple[str, str], administrator: Client) -> None:
    path, body = bodies(field, "10.0.0.7")
    assert sent(administrator, path, body).status_code == (200 if field[0] in OF_A_SITE else 201)


def test_what_is_stored_is_decided_again_when_it_is_called(settings: Any) -> None:
    """Rows may be older than the rule, or written by the administration's pages."""
    settings.LOCAL_ADDRESSES = False
    set_credential("ufm", kind="password", username="x", secret="x", purpose="ufm", hosts=["10.0.0.0/8"])
    make_credentials(hosts=["10.0.0.0/8"])
    source = FabricSource(site=make_site(), name="u", kind="ufm", address="https://203.0.113.9")
    source.credential = set_credential(
        "u", kind="password", username="x", secret="x", purpose="ufm", hosts=["10.0.0.1"]
    )
    source.save()
    with pytest.raises(SourceUnreadable, match="its hosts are"):
        ufm.client_of(source)
    machine = make_machine(bmc_ip="127.0.0.1")
    [target] = bmc_targets([machine.pk])
    assert target.password == ""
    with pytest.raises(OSError, match="address of this machine itself"):
        target.gate.check("127.0.0.1", 443)


def test_a_password_goes_to_its_hosts_only_even_to_the_address_that_the_inventory_has() -> None:
    """Every operator may write a device's address, and who answers there would learn the password."""
    make_credentials(hosts=["10.0.0.0/8"])
    inside, outside = make_machine("inside"), make_machine("outside", bmc_ip="203.0.113.9")
    told = {target.name: (target.password, target.gate.refusal) for target in bmc_targets([inside.pk, outside.pk])}
    assert told["inside"] == ("secret", "")
    assert told["outside"][0] == "" and "is not for 203.0.113.9" in told["outside"][1]


def test_a_password_stored_before_hosts_were_asked_for_goes_nowhere() -> None:
    make_credentials(hosts=["10.0.0.0/8"])
    machine = make_machine("plain")
    Credential.objects.update(hosts=[])
    (target,) = bmc_targets([machine.pk])
    assert target.password == "" and "has no hosts" in target.gate.refusal


# ---- pins ----

PINNED = [
    (FabricSource, "/api/fabric/sources/", "identity", "ab" * 32, {"name": "f", "kind": "file"}),
    (SchedulerSource, "/api/health/schedulers/", "certificate", "ab" * 32, {"local": True}),
    (SchedulerSource, "/api/health/schedulers/", "ssh_identity", "ssh-ed25519 AAAA", {"local": True}),
]


@pytest.mark.parametrize(("model", "path", "field", "value", "fields"), PINNED, ids=lambda each: str(each)[:30])
@pytest.mark.parametrize("change", ["", "cd" * 32])
def test_a_pin_is_cleared_and_replaced_by_an_administrator_of_its_site_only(
    model: Any, path: str, field: str, value: str, fields: dict[str, Any], change: str
) -> None:
    site, other = make_site("north"), make_site("south")
    row = model.objects.create(site=site, **{field: value}, **fields)
    address = f"{path}{row.pk}/"
    for who in (signed_in(Role.OPERATOR, site), signed_in(Role.OPERATOR), signed_in(Role.ADMIN, other)):
        assert who.patch(address, {field: change}, content_type="application/json").status_code in (403, 404)
        assert getattr(model.objects.get(), field) == value
    answer = signed_in(Role.ADMIN, site).patch(address, {field: change}, content_type="application/json")
    assert answer.status_code == 200 and getattr(model.objects.get(), field) == change


def test_an_operator_does_not_name_other_switches_for_a_stored_password() -> None:
    """The options of a source name the addresses that its password is sent to."""
    site = make_site()
    login = set_credential("sw", kind="password", username="x", secret="x", purpose="switch", hosts=["10.0.0.0/8"])
    row = FabricSource.objects.create(site=site, name="s", kind="eapi", fabric="ethernet", credential=login)
    path, body = f"/api/fabric/sources/{row.pk}/", {"options": {"switches": ["10.66.6.6"]}}
    assert signed_in(Role.OPERATOR).patch(path, body, content_type="application/json").status_code == 403
    assert signed_in(Role.ADMIN).patch(path, body, content_type="application/json").status_code == 200


def test_a_credential_of_a_site_is_used_by_the_administrators_of_that_site_only() -> None:
    site, other = make_site("north"), make_site("south")
    set_credential("own", kind="password", username="x", secret="x", purpose="bmc", hosts=["10.0.0.0/8"], site=site)
    make_credentials()
    machine, foreign = make_machine("a", site=site), make_machine("b", site=other)

    def create(who: Client, machine: Machine, credential: str) -> int:
        body = {"machine": machine.pk, "kind": "redfish", "address": "10.0.0.9", "credential": credential}
        return who.post("/api/endpoints/", body, content_type="application/json").status_code

    assert create(signed_in(Role.ADMIN, site), machine, "bmc") == 403
    assert create(signed_in(Role.ADMIN, site), machine, "own") == 201
    assert create(signed_in(Role.ADMIN), foreign, "own") == 400
