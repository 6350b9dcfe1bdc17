"""Passwords of BMCs, changed at the BMCs of the virtual hall: whatever happens in between, nobody is locked out."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from access.models import Endpoint
from access.queries import bmc_targets
from core.models import Credential
from core.services import set_credential
from health.tests.hall import PASSWORD, RunningHall
from provisioning.bmc import accounts, rotation
from provisioning.bmc.models import BmcPassword
from provisioning.bmc.words import BmcAction
from provisioning.tests.bmc.conftest import go, hurt, ids, of, setup_of, start

pytestmark = pytest.mark.django_db


def opens(machine_id: int) -> bool:
    """Whether the password on record signs in."""
    client = bmc_targets([machine_id])[0].client()

    async def ask() -> str:
        async with client:
            return await client.power_state()

    return asyncio.run(ask()) in ("on", "off")


def settle(machine_id: int) -> str:
    row = BmcPassword.objects.get(machine_id=machine_id)
    BmcPassword.objects.filter(pk=row.pk).update(next_try_at=timezone.now() - timedelta(seconds=1))
    return rotation.settle(row.pk)


def test_each_bmc_gets_a_password_of_its_own_and_a_dry_run_changes_none(hall: RunningHall) -> None:
    machines = ids()
    dry = go(start(machines, BmcAction.PASSWORD))
    assert dry.status == "done" and not Endpoint.objects.exclude(credential=None).exists()
    assert all("would get a password of its own" in text for _, text in of(dry).values()), of(dry)
    assert all(setup_of(hall, pk).password == "" for pk in machines)

    hurt(hall, machines[1], "password_expired")
    run = go(start(machines, BmcAction.PASSWORD, dry_run=False))
    assert run.status == "done", of(run)
    given = {setup_of(hall, pk).password for pk in machines}
    assert len(given) == 4 and all(len(each) == 16 for each in given)
    assert all(opens(pk) for pk in machines)
    kept = Credential.objects.get(name=f"bmc of machine {machines[0]}")
    assert kept.reveal() == setup_of(hall, machines[0]).password and kept.hosts == ["127.0.0.0/8"]
    assert set(BmcPassword.objects.values_list("state", "candidate")) == {("own", None)}

    again = go(start(machines[:1], BmcAction.PASSWORD, dry_run=False))
    assert again.status == "done" and setup_of(hall, machines[0]).password not in given and opens(machines[0])


@pytest.mark.parametrize("written", [True, False])
def test_a_worker_lost_after_it_stored_the_password_is_found_out_by_trying_both(
    hall: RunningHall, written: bool
) -> None:
    """Lost right after the BMC took it, or right before it was sent: the row is all that is left."""
    machine = ids()[0]
    row = rotation.prepare([machine], actor="olga")[machine]
    if written:
        setup_of(hall, machine).password = rotation.secret_of(row)
    assert settle(machine) == ("own" if written else "kept")
    assert opens(machine) and (setup_of(hall, machine).password == "") is not written
    assert BmcPassword.objects.get(machine_id=machine).candidate is None


def test_a_bmc_that_forgets_the_change_keeps_the_old_password_in_force(
    hall: RunningHall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says yes to the new password and goes on with the old one, which is only believed a while later."""
    machine = ids()[0]

    async def lie(*args: Any) -> None:
        pass

    monkeypatch.setattr(accounts, "set_password", lie)
    run = go(start([machine], BmcAction.PASSWORD, dry_run=False))
    assert run.status == "failed" and "not known yet which password" in of(run).popitem()[1][1]
    assert BmcPassword.objects.get().state == "changing" and opens(machine)
    assert settle(machine) == "kept" and opens(machine)


def test_a_password_that_somebody_changed_is_a_state_of_its_own_until_somebody_tells_it(hall: RunningHall) -> None:
    machine = ids()[0]
    setup_of(hall, machine).password = "changed-by-hand"
    run = go(start([machine], BmcAction.PASSWORD, dry_run=False))
    assert run.status == "failed" and "changed outside" in of(run).popitem()[1][1]
    row = BmcPassword.objects.get()
    assert (row.state, row.candidate) == ("refused", None)
    assert setup_of(hall, machine).wrong_logins == 1, "one try, then nobody asks again by himself"

    assert rotation.give(machine, "a wrong guess", actor="olga") is not None
    assert settle(machine) == "refused" and setup_of(hall, machine).wrong_logins == 3
    assert rotation.give(machine, "changed-by-hand", actor="olga") is not None
    assert settle(machine) == "own" and opens(machine)


def test_an_account_that_is_locked_for_a_while_is_waited_for(hall: RunningHall) -> None:
    """While it is locked the right password is refused as well: what was sent stays known, and opens later."""
    machine = ids()[0]
    row = rotation.prepare([machine], actor="olga")[machine]
    setup_of(hall, machine).password = rotation.secret_of(row)
    setup_of(hall, machine).locked_until = timezone.now().timestamp() + 600
    assert [settle(machine) for _ in range(3)] == ["changing", "changing", "refused"]
    assert BmcPassword.objects.get().candidate is not None
    setup_of(hall, machine).locked_until = 0
    assert go(start([machine], BmcAction.PASSWORD, dry_run=False)).status == "done" and opens(machine)


def test_a_bmc_without_an_answer_costs_no_try_and_a_login_of_another_kind_is_refused(hall: RunningHall) -> None:
    machine, other = ids()[:2]
    rotation.prepare([machine], actor="olga")
    hurt(hall, machine, "bmc_dead")
    assert settle(machine) == "changing" and BmcPassword.objects.get().rounds == 0
    busy = go(start([machine], BmcAction.PASSWORD, dry_run=False))
    assert of(busy).popitem()[1] == ("refused", "its password is being changed already")
    set_credential("bmc", kind=Credential.Kind.PASSWORD, username="nobody", secret=PASSWORD, hosts=["127.0.0.0/8"])
    failed = go(start([other], BmcAction.PASSWORD, dry_run=False))
    assert failed.status == "failed" and BmcPassword.objects.get(machine_id=other).state == "refused"
