"""Access: targets in a constant number of queries, identities recorded and never taken over silently."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import asyncssh
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from pytest_django import DjangoAssertNumQueries

from access import services
from access.bmc import BmcFailure, BmcFailureKind, BmcResult, ask, ask_many
from access.models import Endpoint, IdentityChange, KnownHost, PinnedCertificate, Source
from access.queries import bmc_targets, ssh_targets
from access.tests.fleet import first_contact, make_credentials, make_machine, make_site
from core.models import Credential
from core.services import set_credential
from drivers.ssh import SshFailure, SshFailureKind, SshResult, SshTarget, key_line
from drivers.tests.bmc import FakeBmc, self_signed, serving

pytestmark = pytest.mark.django_db

KEY_A, KEY_B = (key_line(asyncssh.generate_private_key("ssh-ed25519")) for _ in range(2))


def result(target: SshTarget, key: str | None, failure: SshFailureKind | None = None) -> SshResult:
    return SshResult(target, SshFailure(failure, "it failed") if failure else None, presented_key=key)


@pytest.mark.parametrize("count", [1, 30])
def test_targets_take_a_constant_number_of_queries(
    count: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_credentials()
    ids = [make_machine(f"gpu-{number:03}").pk for number in range(count)]
    with django_assert_num_queries(4):
        assert len(ssh_targets(ids)) == count
    with django_assert_num_queries(4):
        assert len(bmc_targets(ids)) == count


def test_a_host_of_one_credential_that_cannot_be_read_closes_its_machine_and_no_other() -> None:
    make_credentials("default key")
    broken = set_credential("broken", kind="ssh_key", username="ops", secret="key", purpose="ssh")
    Credential.objects.filter(pk=broken.pk).update(hosts=["10.0.0.0/33"])
    plain, its = make_machine("gpu-001"), make_machine("gpu-002")
    Endpoint.objects.create(machine=its, kind="ssh", credential=broken)
    first, second = ssh_targets([plain.pk, its.pk])
    assert not first.gate.refusal and first.private_key == "default key"
    assert "10.0.0.0/33" in second.gate.refusal and second.private_key == ""


def test_an_endpoint_overrides_address_port_and_credential() -> None:
    make_credentials("default key")
    special = set_credential(
        "special",
        kind="ssh_key",
        username="ops",
        secret="special key",
        purpose="ssh",
        hosts=["10.0.0.0/8", "127.0.0.0/8"],
    )
    plain, moved = make_machine("gpu-001"), make_machine("gpu-002")
    Endpoint.objects.create(machine=moved, kind="ssh", address="127.0.0.9", port=2222, credential=special)
    first, second = ssh_targets([plain.pk, moved.pk])
    assert (first.address, first.port, first.username) == (plain.primary_ip, 22, "rackside")
    assert (second.address, second.port, second.username) == ("127.0.0.9", 2222, "ops")
    assert (first.private_key, second.private_key) == ("default key", "special key")
    assert (bmc_targets([moved.pk])[0].port, bmc_targets([moved.pk])[0].password) == (443, "secret")


def test_a_machine_without_address_or_credential_still_gets_a_target_that_says_so() -> None:
    machine = make_machine(primary_ip=None)
    [target] = ssh_targets([machine.pk, 999_999])
    assert (target.address, target.private_key, target.machine_id) == ("", "", machine.pk)


def test_secrets_do_not_show_in_repr() -> None:
    make_credentials("very secret", "very secret")
    machine = make_machine()
    assert "very secret" not in repr(ssh_targets([machine.pk])) + repr(bmc_targets([machine.pk]))


def test_first_contact_is_recorded_once_and_used_from_then_on() -> None:
    make_credentials()
    machine = make_machine()
    [target] = ssh_targets([machine.pk])
    services.record_identities([result(target, KEY_A)])
    services.record_identities([result(target, KEY_B)])
    assert KnownHost.objects.get().key == KEY_A
    assert ssh_targets([machine.pk])[0].known_host == KEY_A


def test_a_machine_that_denied_the_login_is_not_recorded() -> None:
    make_credentials()
    [target] = ssh_targets([make_machine().pk])
    services.record_identities([result(target, KEY_A, SshFailureKind.AUTH_DENIED)])
    assert not KnownHost.objects.exists()


def test_a_changed_host_key_is_noted_and_never_accepted_silently() -> None:
    make_credentials()
    machine = make_machine()
    first_contact(machine, KEY_A)
    [target] = ssh_targets([machine.pk])
    for _ in range(3):
        services.record_identities([result(target, KEY_B, SshFailureKind.HOST_KEY_CHANGED)])
    change = IdentityChange.objects.get()
    assert (change.times_seen, change.presented, change.resolved_at) == (3, KEY_B, None)
    assert ssh_targets([machine.pk])[0].known_host == KEY_A


def test_accepting_a_change_replaces_the_key_and_keeps_the_old_one_as_history() -> None:
    machine = make_machine()
    first_contact(machine, KEY_A)
    change = services.record_host_key_change(machine.pk, KEY_B)
    assert change is not None
    services.accept_change(change.pk, actor="olga")
    live = KnownHost.objects.get(replaced_at=None)
    assert (live.key, live.source, live.recorded_by) == (KEY_B, Source.ACCEPTED, "olga")
    assert KnownHost.objects.exclude(replaced_at=None).get().key == KEY_A
    with pytest.raises(IdentityChange.DoesNotExist):
        services.accept_change(change.pk, actor="olga")


def test_an_installed_key_overtakes_open_changes_and_rolls_back_with_its_transaction() -> None:
    machine = make_machine()
    first_contact(machine, KEY_A)
    services.record_host_key_change(machine.pk, KEY_B)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        services.install_host_key(machine.pk, KEY_B, actor="run 1")
        raise ZeroDivisionError
    assert KnownHost.objects.get(replaced_at=None).key == KEY_A
    services.install_host_key(machine.pk, f"{KEY_B} a comment", actor="run 1")
    assert KnownHost.objects.get(replaced_at=None).key == KEY_B
    assert IdentityChange.objects.get().resolution == IdentityChange.Resolution.OVERTAKEN
    assert services.record_host_key_change(machine.pk, KEY_B) is None, "this key is the known one now"


def test_the_database_refuses_two_live_host_keys() -> None:
    machine = make_machine()
    first_contact(machine, KEY_A)
    with pytest.raises(IntegrityError), transaction.atomic():
        KnownHost.objects.create(machine=machine, key=KEY_B, fingerprint="x", source=Source.INSTALLED)


def test_a_bmc_certificate_is_pinned_at_first_contact_and_a_change_is_noted() -> None:
    make_credentials()
    machine = make_machine()
    [target] = bmc_targets([machine.pk])
    denied = BmcFailure(BmcFailureKind.AUTH_DENIED, "no")
    services.record_bmc_identities([BmcResult(target, failure=denied)])
    assert not PinnedCertificate.objects.exists()
    services.record_bmc_identities([BmcResult(target, fingerprint=b"\x01" * 32)])
    [target] = bmc_targets([machine.pk])
    assert target.pinned == b"\x01" * 32
    failure = BmcFailure(BmcFailureKind.CERTIFICATE_CHANGED, "changed")
    services.record_bmc_identities([BmcResult(target, failure=failure, changed_to=b"\x02" * 32)])
    change = IdentityChange.objects.get()
    assert bmc_targets([machine.pk])[0].pinned == b"\x01" * 32
    services.accept_change(change.pk, actor="olga")
    assert bmc_targets([machine.pk])[0].pinned == b"\x02" * 32


def test_collecting_from_machines_that_cannot_be_reached_gives_a_reason_each() -> None:
    make_credentials()
    silent, unknown = make_machine("gpu-001", bmc_ip="127.0.0.1"), make_machine("gpu-002", bmc_ip=None)
    Endpoint.objects.create(machine=silent, kind="redfish", port=1)
    targets = bmc_targets([silent.pk, unknown.pk])

    async def collect() -> list[BmcResult]:
        return [each async for each in ask_many(targets, timeout_s=1)]

    results = async_to_sync(collect)()
    kinds = {each.target.machine_id: each.failure.kind for each in results if each.failure}
    assert kinds == {silent.pk: BmcFailureKind.UNREACHABLE, unknown.pk: BmcFailureKind.NO_ADDRESS}


def test_endpoints_load_in_bulk_again_and_refuse_unknown_names(
    tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_site()
    machines = [make_machine(f"gpu-{number:03}") for number in range(20)]
    rows = [
        services.EndpointRow(machine=machine.device.name, kind="ssh", address="127.0.0.1", port=2000 + index)
        for index, machine in enumerate(machines)
    ]
    for _ in range(2):
        with django_assert_num_queries(5):
            assert services.load_endpoints(rows, site_slug="north") == 20
    assert Endpoint.objects.count() == 20
    with pytest.raises(services.EndpointsRefused, match="no machine nobody"):
        services.load_endpoints([services.EndpointRow(machine="nobody", kind="ssh")], site_slug="north")
    broken = tmp_path / "endpoints.json"
    broken.write_text('[{"machine": "gpu-001"}]')
    with pytest.raises(CommandError, match="want a list"):
        call_command("load_endpoints", str(broken), site="north")


def test_a_bmc_that_refuses_our_password_is_not_pinned(tmp_path: Path) -> None:
    """It may be another machine's: whoever it is, its certificate must not become the known one."""
    make_credentials()
    machine = make_machine(bmc_ip="127.0.0.1")

    async def ask_with(password: str) -> BmcResult:
        async with serving(FakeBmc(), self_signed(tmp_path)[0]) as port:
            [target] = await sync_to_async(bmc_targets)([machine.pk])
            login = replace(target, username="root", password=password, port=port, refused="")
            return await ask(login, timeout_s=3, total_s=5)

    refused = async_to_sync(ask_with)("wrong")
    assert refused.failure is not None and refused.failure.kind == BmcFailureKind.AUTH_DENIED
    services.record_bmc_identities([refused])
    assert not PinnedCertificate.objects.exists()
    services.record_bmc_identities([async_to_sync(ask_with)("secret")])
    assert PinnedCertificate.objects.count() == 1


@pytest.mark.django_db
def test_a_credential_that_no_key_opens_fails_only_the_machines_that_need_it() -> None:
    good, bad = make_machine("good"), make_machine("bad")
    make_credentials("PRIVATE-KEY-TEXT")
    broken = Credential.objects.create(name="broken", kind="ssh_key", username="root", secret=b"not encrypted by us")
    Endpoint.objects.create(machine=bad, kind="ssh", credential=broken)
    targets = {target.name: target.private_key for target in ssh_targets([good.pk, bad.pk])}
    assert targets == {"good": "PRIVATE-KEY-TEXT", "bad": ""}
