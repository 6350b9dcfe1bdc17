"""Roles: those shipped, those of a site, what is wrong with them, which machines may have them, and what they mend."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from health.checks import model as checks
from health.machines.lifecycle import State
from inventory.specs.expected import Expected
from provisioning.software.catalogue import SHIPPED, Role, read_catalogue, read_meta
from provisioning.software.drift import Differs, remedies_of
from provisioning.software.plays.hosts import Host, aliases, inventory_of, known_hosts_of
from provisioning.waves import fitness

TESTED = Path(__file__).parent / "roles"
BASE = (
    "time", "users", "kernel", "doca_ofed", "nvidia_driver", "fabric_manager", "dcgm", "node_exporter", "docker",
    "container_toolkit", "enroot", "pyxis", "slurmd", "limits",
)  # fmt: skip


def role(folder: Path, name: str, meta: str | None = None) -> None:
    (folder / name / "tasks").mkdir(parents=True)
    (folder / name / "tasks" / "main.yml").write_text("---\n[]\n")
    if meta is not None:
        (folder / name / "meta").mkdir()
        (folder / name / "meta" / "rackside.yaml").write_text(meta)


def test_the_base_software_is_shipped_in_its_order_and_without_a_problem() -> None:
    found = read_catalogue(None)
    assert tuple(each.name for each in found.roles) == BASE
    assert not [each for each in found.roles if each.problem]


def test_what_a_shipped_role_brings_and_mends_is_what_device_models_and_checks_know() -> None:
    known = {each.id for each in checks.declared()}
    for each in read_catalogue(None).roles:
        assert set(each.expected) <= set(Expected.model_fields), each.name
        assert set(each.mends) <= known, (each.name, set(each.mends) - known)


def test_the_driver_is_pinned_by_what_the_device_model_expects() -> None:
    defaults = yaml.safe_load((SHIPPED / "nvidia_driver" / "defaults" / "main.yml").read_text())
    assert "rackside_expected.driver_version" in defaults["nvidia_driver_branch"]
    pin = (SHIPPED / "nvidia_driver" / "templates" / "preferences.j2").read_text()
    assert "{{ rackside_expected.driver_version }}" in pin


def test_a_role_that_restarts_something_others_work_with_needs_a_machine_out_of_service() -> None:
    words = ("ansible.builtin.reboot", "state: restarted")
    careless = []
    for each in read_catalogue(None).roles:
        handlers = SHIPPED / each.name / "handlers" / "main.yml"
        text = handlers.read_text() if handlers.is_file() else ""
        harmless = {"time", "dcgm", "node_exporter"}  # no job is stopped by these services
        if any(word in text for word in words) and not each.drained and each.name not in harmless:
            careless.append(each.name)
    assert careless == []


def test_roles_of_a_site_replace_those_shipped_and_come_beside_them(tmp_path: Path) -> None:
    role(tmp_path, "time")
    role(tmp_path, "docker", "title: Our Docker\norder: 61\ndrained: false\n")
    role(tmp_path, "motd")
    (tmp_path / "no_role").mkdir()
    found = read_catalogue(tmp_path).by_name
    assert (found["time"].title, found["time"].drained, found["time"].of_site) == ("Time", False, True)
    assert (found["docker"].title, found["docker"].drained) == ("Our Docker", False)
    assert (found["motd"].title, found["motd"].drained) == ("motd", True), "not said: it needs a machine out of service"
    assert "no_role" not in found and found["limits"].of_site is False
    assert read_catalogue(tmp_path).paths[0] == tmp_path, "Ansible looks there first"


@pytest.mark.parametrize(
    ("meta", "why"),
    [
        ("title: [", "no YAML"),
        ("- a", "want title"),
        ("order: 3", "title: Field required"),
        ("title: A\norder: many", "order: "),
        ("title: A\ndrained: maybe", "drained: "),
        ("title: A\nexpected: [drivers]", "no expected value drivers"),
        ("title: A\ncolour: red", "colour: "),
    ],
)
def test_a_wrong_meta_file_is_a_problem_with_its_field(tmp_path: Path, meta: str, why: str) -> None:
    role(tmp_path, "odd", meta)
    found = read_catalogue(tmp_path)
    assert why in found.by_name["odd"].problem
    assert why in found.refusals(["odd", "time"])["odd"]
    assert found.refusals(["nothing"]) == {"nothing": "there is no such role"}


@given(st.text(max_size=200))
def test_whatever_stands_in_a_meta_file_is_read_or_refused(text: str) -> None:
    try:
        read_meta(text)
    except ValueError as error:
        assert str(error)


# ---- which machines ----


def test_a_role_that_needs_it_waits_for_a_machine_out_of_service() -> None:
    assert "needs a machine out of service, this one is ready" in fitness.why_not("ready", drained_for="Docker")
    assert fitness.why_not("ready") == "" and fitness.why_not("drained", drained_for="Docker") == ""
    assert fitness.why_not("ready", drained_for="Docker", dry_run=True) == ""


def test_a_machine_in_other_hands_or_of_no_known_state_is_never_touched() -> None:
    for dry_run in (True, False):
        for state in ("provisioning", "remediating", "verifying", "retired", "rma"):
            assert fitness.why_not(state, dry_run=dry_run)
        assert fitness.why_not("", dry_run=dry_run) == "its state is unknown"
        assert fitness.why_not("asleep", dry_run=dry_run) == "its state is asleep"


@given(st.sampled_from(list(State)))
def test_where_a_role_that_needs_it_may_run_no_machine_is_in_service(state: State) -> None:
    if not fitness.why_not(state, drained_for="Docker"):
        assert state not in (State.READY, State.DRAINING)


# ---- what is mended ----


def named(name: str, **mends: str) -> Role:
    meta = {check.replace("__", "."): says for check, says in mends.items()}
    return Role(name=name, title=name, order=1, drained=False, expected=(), mends=meta, of_site=False)


def test_a_version_that_differs_names_the_role_that_mends_it() -> None:
    found = [
        Differs(2, "gpu-2", "gpu.driver", "driver 550.1, the model has 535.2"),
        Differs(1, "gpu-1", "gpu.driver", "driver 550.1, the model has 535.2"),
        Differs(3, "gpu-3", "gpu.driver", "nvidia-smi hangs"),
        Differs(1, "gpu-1", "system.packages", "OFED 23, the model has 24"),
    ]
    roles = [named("driver", gpu__driver="the model has"), named("ofed", system__packages="OFED"), named("none")]
    remedies = [(each.role.name, [row.name for row in each.machines]) for each in remedies_of(found, roles)]
    assert remedies == [("driver", ["gpu-1", "gpu-2"]), ("ofed", ["gpu-1"])]


def test_a_machine_is_counted_once_for_each_role() -> None:
    found = [Differs(1, "gpu-1", "a.b", "x"), Differs(1, "gpu-1", "a.c", "y")]
    (remedy,) = remedies_of(found, [named("one", a__b="", a__c="")])
    assert [row.message for row in remedy.machines] == ["x"]


# ---- what Ansible is told ----


def host(number: int = 1, **changes: object) -> Host:
    fields: dict[str, object] = {
        "machine_id": number, "name": f"gpu-{number}", "address": "10.0.0.1", "port": 22, "username": "rackside",
        "known_host": "ssh-ed25519 AAAA comment", "key": "KEY", "variables": {},
    }  # fmt: skip
    return Host(**(fields | changes))  # type: ignore[arg-type]


def test_no_value_of_the_inventory_is_a_template_and_no_key_stands_in_it() -> None:
    hostile = {"rack": "{{ lookup('pipe', 'id') }}", "expected": {"a": ["{{ b }}"]}}
    text = inventory_of([host(variables=hostile)], {"KEY": "/k"})
    lines = [line for line in text.splitlines() if "{{" in line]
    assert len(lines) == 2 and all("!unsafe" in line for line in lines)
    assert "KEY" not in text.replace("/k", "") and "ansible_ssh_private_key_file: !unsafe" in text


def test_root_is_not_asked_for_where_one_logs_in_as_root() -> None:
    assert "ansible_become: true" in inventory_of([host()], {"KEY": "/k"})
    assert "ansible_become: false" in inventory_of([host(username="root")], {"KEY": "/k"})


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6))
def test_every_machine_has_a_name_of_its_own_in_the_inventory(names: list[str]) -> None:
    hosts = [host(number, name=name) for number, name in enumerate(names)]
    found = aliases(hosts)
    assert sorted(each.machine_id for each in found.values()) == [each.machine_id for each in hosts]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+", alias) for alias in found)


def test_known_hosts_have_the_port_where_it_is_another() -> None:
    assert known_hosts_of([host(), host(2, address="10.0.0.2", port=2222)]) == (
        "10.0.0.1 ssh-ed25519 AAAA\n[10.0.0.2]:2222 ssh-ed25519 AAAA\n"
    )
