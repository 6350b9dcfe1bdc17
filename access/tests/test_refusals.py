"""A login that a BMC refused is sent twice at most, until another one is given or somebody asks again."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from access.bmc import BmcFailureKind, BmcResult, ask_many
from access.models import BmcRefusal
from access.queries import bmc_targets
from access.refusals import AGAIN_AFTER, Refusal, Sent, counted, standing
from access.services import ask_bmcs_again, own_bmc_login, record_bmc_identities
from access.tests.fleet import make_credentials
from core.models import Credential
from health.tests import factories as make
from health.tests.hall import RunningHall, running_hall
from inventory.models import Machine

AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LOGIN = Sent(7, "10.2.0.5")


@pytest.mark.parametrize(
    ("times", "wanted", "set_at", "later", "said"),
    [
        (1, LOGIN, AT - timedelta(days=1), timedelta(minutes=29), "once more at 12:30 UTC"),
        (1, LOGIN, AT - timedelta(days=1), AGAIN_AFTER, ""),
        (2, LOGIN, AT - timedelta(days=1), timedelta(days=400), "until another one is given, or somebody asks again"),
        (2, LOGIN, AT + timedelta(hours=1), timedelta(hours=2), ""),  # the credential has another password since
        (2, Sent(8, "10.2.0.5"), AT - timedelta(days=1), timedelta(hours=2), ""),  # another credential
        (2, Sent(7, "10.2.0.6"), AT - timedelta(days=1), timedelta(hours=2), ""),  # another BMC
    ],
)  # fmt: skip
def test_a_refused_login_is_sent_once_more_after_a_while_and_then_never_by_itself(
    times: int, wanted: Sent, set_at: datetime, later: timedelta, said: str
) -> None:
    told = standing(Refusal(LOGIN, times, AT), wanted, set_at, AT + later)
    assert said in told and bool(said) == bool(told)


def test_the_refusals_of_another_login_are_not_counted() -> None:
    assert counted(None, LOGIN) == 1 and counted(Refusal(LOGIN, 1, AT), LOGIN) == 2
    assert counted(Refusal(LOGIN, 2, AT), Sent(8, "10.2.0.5")) == 1


# ---- at a BMC that counts wrong passwords ----


async def _all(targets: list[Any]) -> list[BmcResult]:
    return [each async for each in ask_many(targets)]


def look(machine: Machine) -> BmcResult:
    """What a sweep does with the BMC of a machine."""
    [result] = asyncio.run(_all(bmc_targets([machine.pk])))
    record_bmc_identities([result])
    return result


def setup_of(hall: RunningHall, machine: Machine) -> Any:
    return hall.do(lambda h: h.machines[machine.device.name].state.setup)


def half_an_hour_later() -> None:
    Credential.objects.update(changed_at=F("changed_at") - AGAIN_AFTER - timedelta(seconds=1))
    BmcRefusal.objects.update(refused_at=F("refused_at") - AGAIN_AFTER - timedelta(seconds=1))


@pytest.mark.django_db
def test_a_sweep_sends_a_changed_bmcs_password_twice_and_no_more_until_somebody_gives_one(tmp_path: Path) -> None:
    [machine] = make.make_machines(1)
    with running_hall("ams1", tmp_path) as hall:
        assert look(machine).answers is not None and not BmcRefusal.objects.exists()
        setup_of(hall, machine).password = "changed-by-hand"
        first, again = look(machine), look(machine)
        assert first.refused and not again.refused and setup_of(hall, machine).wrong_logins == 1
        assert again.failure is not None and again.failure.kind is BmcFailureKind.AUTH_DENIED
        assert "sent once more at" in str(again.failure)
        half_an_hour_later()
        assert [look(machine).refused for _ in range(5)] == [True, False, False, False, False] and setup_of(
            hall, machine
        ).wrong_logins == 2
        half_an_hour_later()
        assert "until another one is given" in str(look(machine).failure) and setup_of(hall, machine).wrong_logins == 2

        own_bmc_login(machine.pk, username="root", password="changed-by-hand")
        assert look(machine).answers is not None and not BmcRefusal.objects.exists(), "let in: nothing stands any more"


@pytest.mark.django_db
def test_who_asks_again_has_it_sent_once_and_a_bmc_that_takes_it_is_trusted_again(tmp_path: Path) -> None:
    [machine] = make.make_machines(1)
    with running_hall("ams1", tmp_path) as hall:
        setup_of(hall, machine).password = "changed-by-hand"
        for _ in range(2):
            look(machine)
            half_an_hour_later()
        setup_of(hall, machine).password = ""
        assert look(machine).answers is None, "put back by hand, and nobody said so"
        ask_bmcs_again([machine.pk])
        assert look(machine).answers is not None and not BmcRefusal.objects.exists()


@pytest.mark.django_db
def test_refusals_cost_no_statement_where_there_are_none() -> None:
    make_credentials()
    machines = make.make_machines(3)
    with CaptureQueriesContext(
        connection,
    ) as few:
        targets = bmc_targets([machine.pk for machine in machines])
    assert len(few) == 4 and not any(target.refused for target in targets)
    with CaptureQueriesContext(connection) as none:
        record_bmc_identities([BmcResult(target) for target in targets])
    assert len(none) == 0
