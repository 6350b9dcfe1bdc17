"""The locating light follows the tickets, over real Redfish, and never keeps anybody from working."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from access.models import Endpoint, PinnedCertificate
from access.tests.fleet import make_credentials
from core.models import User
from core.services import set_credential
from drivers.tests.bmc import FakeBmc, self_signed, serving
from inventory.models import Machine
from live.models import Event
from provisioning.tests.world import Loop
from simulator.hall import Hall
from simulator.plan import sample_plan
from simulator.tests.conftest import free_slice
from tickets import services
from tickets.models import IndicatorLed, Ticket
from tickets.services import leds
from tickets.tests.conftest import look_after

pytestmark = pytest.mark.django_db


class Light:
    """A BMC answering over TLS for one machine."""

    def __init__(self, loop: Loop, folder: Path, machine: Machine) -> None:
        make_credentials()
        self.loop, self.bmc = loop, FakeBmc(led=False)
        pem, self.fingerprint = self_signed(folder)
        self.serving = serving(self.bmc, pem)
        self.port = loop.run(self.serving.__aenter__())
        self.endpoint = Endpoint.objects.create(machine=machine, kind="redfish", address="127.0.0.1", port=self.port)

    @property
    def orders(self) -> list[object]:
        return [body["LocationIndicatorActive"] for method, _, body in self.bmc.requests if method == "PATCH"]

    def close(self) -> None:
        self.loop.run(self.serving.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def loop_thread() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.stop()


@pytest.fixture
def light(loop_thread: Loop, tmp_path: Path, broken: Machine) -> Iterator[Light]:
    light = Light(loop_thread, tmp_path, broken)
    yield light
    light.close()


def led_of(ticket: Ticket) -> IndicatorLed:
    return IndicatorLed.objects.get(machine_id=ticket.machine_id)


def test_the_light_is_on_while_a_ticket_is_worked_on_and_off_after(light: Light, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    assert services.sync_indicator_leds() == 1
    assert light.bmc.led is True and led_of(ticket).seen == "on"
    services.done_verify(ticket.number, by=tina)
    assert services.sync_indicator_leds() == 0, "verifying is still working on it"
    assert look_after(ticket, boot_id="boot-b") == "passed"
    assert services.sync_indicator_leds() == 1
    assert light.bmc.led is False and led_of(ticket).seen == "off"


def test_a_light_that_is_as_wanted_is_not_ordered_again(light: Light, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    for _ in range(3):
        services.sync_indicator_leds()
    assert light.orders == [True]


def test_a_light_nobody_of_us_lit_is_left_alone(light: Light, ticket: Ticket) -> None:
    assert services.sync_indicator_leds() == 0
    assert light.bmc.requests == [] and not IndicatorLed.objects.exists()


def test_the_technician_may_switch_it(light: Light, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    services.sync_indicator_leds()
    services.set_led(ticket.number, by=tina, on=False)
    services.sync_indicator_leds()
    assert light.bmc.led is False
    services.set_led(ticket.number, by=tina, on=True)
    services.sync_indicator_leds()
    assert light.orders == [True, False, True]


@pytest.mark.slow
def test_giving_the_ticket_back_puts_it_out(light: Light, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    services.sync_indicator_leds()
    services.release(ticket.number, by=tina, reason="lunch")
    services.sync_indicator_leds()
    assert light.bmc.led is False


def test_a_bmc_that_does_not_answer_is_tried_again_and_stops_nobody(light: Light, ticket: Ticket, tina: User) -> None:
    Endpoint.objects.update(port=1)
    services.take(ticket.number, by=tina)
    assert services.sync_indicator_leds() == 0
    led = led_of(ticket)
    assert led.seen == "unknown" and led.error and led.attempts == 1 and led.lease_until is None
    assert led.next_try_at > timezone.now() + timedelta(seconds=10)
    assert services.sync_indicator_leds() == 0 and led_of(ticket).attempts == 1, "not before its time"
    services.comment(ticket.number, by=tina, text="going on without it")
    Endpoint.objects.update(port=light.port)
    IndicatorLed.objects.update(next_try_at=timezone.now())
    assert services.sync_indicator_leds() == 1
    led = led_of(ticket)
    assert led.seen == "on" and led.error == "" and led.attempts == 0


@pytest.mark.slow
def test_waits_grow_to_ten_minutes_and_a_new_wish_starts_afresh(light: Light, ticket: Ticket, tina: User) -> None:
    Endpoint.objects.update(port=1)
    services.take(ticket.number, by=tina)
    IndicatorLed.objects.update(attempts=30)
    services.sync_indicator_leds()
    wait = led_of(ticket).next_try_at - timezone.now()
    assert timedelta(seconds=590) < wait <= timedelta(seconds=600)
    services.release(ticket.number, by=tina, reason="lunch")
    assert led_of(ticket).next_try_at <= timezone.now() and led_of(ticket).attempts == 0


def test_in_a_paused_instance_no_light_is_switched_and_a_person_s_goes_on_afterwards(
    light: Light, ticket: Ticket, tina: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.take(ticket.number, by=tina)
    monkeypatch.setattr("core.instance.state.is_paused", lambda: True)
    assert services.sync_indicator_leds() == 0 and light.orders == []
    assert "paused" in led_of(ticket).error and led_of(ticket).attempts == 0
    monkeypatch.undo()
    IndicatorLed.objects.update(next_try_at=timezone.now())
    assert services.sync_indicator_leds() == 1 and light.orders == [True]


def test_a_worker_lost_with_an_order_in_hand_is_replaced(light: Light, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    assert [order.on for order in leds.claim()] == [True]
    assert led_of(ticket).seen == "unknown", "written down before the BMC is called"
    assert leds.claim() == [], "another worker leaves it alone meanwhile"
    IndicatorLed.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert services.sync_indicator_leds() == 1 and light.bmc.led is True


@pytest.mark.slow
def test_a_wish_that_changed_during_the_order_is_carried_out_next(
    light: Light, ticket: Ticket, tina: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.take(ticket.number, by=tina)
    order = leds.claim()[0]
    services.release(ticket.number, by=tina, reason="lunch")
    leds._record(leds.Outcome(order, ""))  # the first order is through only now
    assert led_of(ticket).seen == "on" and led_of(ticket).wanted == "off"
    assert services.sync_indicator_leds() == 1 and light.bmc.led is False


@pytest.mark.slow
def test_the_page_hears_when_the_light_is_on(light: Light, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    before = Event.objects.filter(kind="ticket.changed").count()
    services.sync_indicator_leds()
    assert Event.objects.filter(kind="ticket.changed").count() == before + 1


def test_a_certificate_met_first_is_pinned_and_another_one_refused(light: Light, ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    services.sync_indicator_leds()
    pin = PinnedCertificate.objects.get()
    assert pin.fingerprint == light.fingerprint.hex()
    PinnedCertificate.objects.update(fingerprint="00" * 32)
    services.set_led(ticket.number, by=tina, on=False)
    assert services.sync_indicator_leds() == 0
    assert "certificate changed" in led_of(ticket).error and light.bmc.led is True


def test_an_order_names_its_site_whose_kill_switch_may_stop_it() -> None:
    with pytest.raises(TypeError, match="site_id"):
        leds.Order(IndicatorLed(), on=True)  # type: ignore[call-arg]


def test_a_machine_without_a_bmc_address_is_said_so(ticket: Ticket, tina: User) -> None:
    services.take(ticket.number, by=tina)
    assert services.sync_indicator_leds() == 0
    assert led_of(ticket).error == "no BMC address is known"


@pytest.mark.timeout(60)
def test_the_bmcs_of_the_virtual_hall_take_the_order(
    loop_thread: Loop, tmp_path: Path, ticket: Ticket, tina: User
) -> None:
    plan = sample_plan(1, slice_number=free_slice(), ssh_port=0, redfish_port=0)
    hall = Hall(plan, tmp_path / "hall")
    loop_thread.run(hall.start())
    try:
        (bmc,) = hall.machines.values()
        set_credential("bmc", kind="password", username=plan.bmc_user, secret=plan.bmc_password, hosts=["127.0.0.0/8"])
        Endpoint.objects.create(
            machine=ticket.machine, kind="redfish", address=bmc.plan.address, port=bmc.state.redfish_port
        )
        services.take(ticket.number, by=tina)
        assert services.sync_indicator_leds() == 1 and bmc.state.led != "Off"
        services.release(ticket.number, by=tina, reason="lunch")
        assert services.sync_indicator_leds() == 1 and bmc.state.led == "Off"
    finally:
        loop_thread.run(hall.stop())
