"""A row that is due for every kind of durable work, and how its own room ends one: what the contract test works on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any

from django.db.models import Model
from django.utils import timezone

from core.jobs import work as jobs
from core.jobs.models import Job
from core.models import Site, User
from core.webhooks import dispatch
from core.webhooks.delivery import Letter, Outcome
from core.webhooks.models import Delivery, Webhook
from core.work import failed_handlers
from drivers import scheduler
from fabric.burn_in.models import BurnIn
from fabric.burn_in.services import plans
from fabric.burn_in.services import runs as burn_ins
from fabric.discovery.models.sources import Discovery, FabricSource
from fabric.discovery.services import discoveries
from fabric.ports.models import PortAction, PortPolicy
from fabric.ports.services import orders
from fabric.quality.models.quality import LinkQuality, Measurement
from fabric.quality.services import measurements
from fabric.wiring.models.names import NameProposal
from fabric.wiring.services import names
from facility.meters import rounds as meter_rounds
from facility.meters.models import Meter
from facility.readers.answers import MeterError
from health.diagnostics.services import runs as active_runs
from health.models import ActiveRun, SchedulerSource, SchedulerWish, Verification
from health.monitoring.services import verifications
from health.schedulers.services import delivery, desired_state, readings
from health.services import request_verification
from health.tests import factories as make
from inventory.models import Machine, NetBoxRun
from inventory.netbox import run as netbox
from live.models import Event, HandlerFailure
from provisioning.bmc import readings as bmc_readings
from provisioning.bmc import rotation as bmc_passwords
from provisioning.bmc import services as bmc_runs
from provisioning.bmc.models import BmcPassword, BmcReading, BmcRun
from provisioning.discovery import work as bmc_discoveries
from provisioning.discovery.models import Discovery as BmcDiscovery
from provisioning.engines.contract import Again, Looked
from provisioning.images import services as images
from provisioning.ironic import writes as ironic_writes
from provisioning.maas import writes as maas_writes
from provisioning.mirrors import watch as mirrors
from provisioning.mirrors.outside import Answered
from provisioning.models import (
    BootMedium,
    ImagePlacement,
    IronicWrite,
    MaasWrite,
    Mirror,
    Run,
    RunMachine,
    SoftwareRun,
    Step,
)
from provisioning.services import leases, media, poll
from provisioning.software import services as software
from provisioning.steps import STEPS, Status
from runs.models import Collection, TrainingRun
from runs.services import collections
from tickets.insights import services as insights
from tickets.messages import delivery as messages
from tickets.messages.models import Channel, Message, Rota
from tickets.messages.rota import calendars
from tickets.models import (
    CaseBundle,
    CaseMessage,
    IndicatorLed,
    ReportMail,
    StepRun,
    Ticket,
    VendorCase,
    VendorContact,
)
from tickets.models import Step as TicketStep
from tickets.runbooks import machine_steps
from tickets.services import leds
from tickets.systems import exchange as systems
from tickets.systems.models import ExternalItem, ExternalLink, TicketSystem
from tickets.vendors import bundles as vendor_bundles
from tickets.vendors import dispatch as vendor_messages

_numbers = count(1)
LONG_AGO = timedelta(hours=1)


@dataclass(frozen=True)
class Sample:
    """`make` writes a row that is due since an hour ago; `end` is what its room does when a worker is through."""

    make: Callable[[], Model]
    end: Callable[[Any], object]


def machine() -> Machine:
    return make.make_machines(1)[0]


def site() -> Site:
    return Site.objects.get_or_create(slug="ams", defaults={"name": "Amsterdam"})[0]


def source() -> FabricSource:
    return FabricSource.objects.create(site=site(), name=f"source {next(_numbers)}", kind="file")


def failed_handler() -> HandlerFailure:
    event = Event.objects.create(kind="test.happened", subject="machine:1", data={})
    return HandlerFailure.objects.create(
        event=event, handler="a.handler", error="not today", next_try_at=timezone.now() - LONG_AGO
    )


def job() -> Job:
    user, _ = User.objects.get_or_create(username="tina")
    return Job.objects.create(kind="test", user=user)


def message() -> Delivery:
    hook = Webhook(name=f"hook {next(_numbers)}", url="https://example.org/")
    hook.make_secret()
    hook.save()
    return Delivery.objects.create(webhook=hook, event="a.b", body="{}", next_at=timezone.now() - LONG_AGO)


def was_answered(row: Delivery) -> None:
    letter = Letter(row.pk, row.webhook_id, "https://example.org/", row.message, b"{}", (), 1, row.attempts + 1)
    dispatch.record(letter, Outcome(200, "thanks", "", 5))


def light() -> IndicatorLed:
    return IndicatorLed.objects.create(machine=machine(), wanted="on", next_try_at=timezone.now() - LONG_AGO)


def was_switched(row: IndicatorLed) -> None:
    leds._record(leds.Outcome(leds.Order(row, True, 0), ""))


def machine_step() -> StepRun:
    user, _ = User.objects.get_or_create(username="tina")
    stands_at = machine()
    ticket = Ticket.objects.create(
        site_id=stands_at.device.site_id, machine=stands_at, part="GPU 4", fault_class="gpu.gone", title="Replace it"
    )
    ticket.refresh_from_db()
    step = TicketStep.objects.create(ticket=ticket, number=1, kind="check", title="Power it off", key="power-off")
    due = timezone.now() - LONG_AGO
    return StepRun.objects.create(step=step, runs="power_off", asked_by=user, next_try_at=due)


def was_seen_off(row: StepRun) -> None:
    machine_steps._end(row, "seen", "The BMC shows off.")


def report_mail() -> ReportMail:
    user, _ = User.objects.get_or_create(username="tina")
    week = timezone.now().date() - timedelta(weeks=next(_numbers))
    return ReportMail.objects.create(site=site(), user=user, week=week, next_try_at=timezone.now() - LONG_AGO)


def was_mailed(row: ReportMail) -> None:
    insights.WORK.finish(row, status=ReportMail.Status.SENT, sent_at=timezone.now())


def vendor_case() -> VendorCase:
    broken = machine()
    ticket = Ticket.objects.create(
        site_id=broken.device.site_id, machine=broken, part=f"GPU {next(_numbers)}", fault_class="gpu.gone", title="x"
    )
    contact = {"channel": "mail", "mail_to": "a@example.org", "enabled": True}
    VendorContact.objects.get_or_create(site_id=ticket.site_id, vendor="hpe", defaults=contact)
    return VendorCase.objects.create(site_id=ticket.site_id, ticket=ticket, vendor="hpe", opened_by="olga")


def vendor_bundle() -> CaseBundle:
    return CaseBundle.objects.create(case=vendor_case(), created_by="olga", due_at=timezone.now() - LONG_AGO)


def vendor_message() -> CaseMessage:
    return CaseMessage.objects.create(
        case=vendor_case(), kind="open", channel="mail", created_by="olga", due_at=timezone.now() - LONG_AGO
    )


def wish() -> SchedulerWish:
    return SchedulerWish.objects.create(machine=machine(), want="resume", next_try_at=timezone.now() - LONG_AGO)


def was_taken(row: SchedulerWish) -> None:
    delivery._settle(delivery.Taken(row, "gpu-1"), scheduler.Outcome.DONE, "")


def scheduler_source() -> SchedulerSource:
    return SchedulerSource.objects.create(site=site())


def verification() -> Verification:
    asked = request_verification(machine().pk, fault_ids=[], owner="ticket:REP-1", actor="tina")
    now = timezone.now()
    Verification.objects.filter(pk=asked.pk).update(
        requested_at=now - LONG_AGO, next_try_at=now - LONG_AGO, deadline_at=now + LONG_AGO
    )
    asked.refresh_from_db()
    return asked


def was_looked_at(row: Verification) -> None:
    looked = make.look(row.machine_id, at=row.requested_at + timedelta(seconds=5))
    verifications.decide(row, looked)


def active_run() -> ActiveRun:
    return ActiveRun.objects.create(site=site(), kind="copies", requested_by="olga")


def discovery() -> Discovery:
    return Discovery.objects.create(source=source())


def burn_in() -> BurnIn:
    of = source()
    return BurnIn.objects.create(site=of.site, source=of, status="running", created_by="olga")


def fabric_name() -> NameProposal:
    now = timezone.now()
    return NameProposal.objects.create(
        source=source(), guid="a", proposed="leaf-1", agreeing=1, asked=1, margin=1, certain=True, state="approved",
        first_seen_at=now, last_seen_at=now,
    )  # fmt: skip


def placement() -> ImagePlacement:
    return ImagePlacement.objects.create(
        site=site(), action="place", engine="docker", reference="registry.example/team/torch:25.01"
    )


def was_placed(row: ImagePlacement) -> None:
    images.WORK.finish(row, status="done")


def mirror() -> Mirror:
    return Mirror.objects.create(site=site(), name=f"m{next(_numbers)}", kind="apt", url="http://mirror.example")


def was_watched(row: Mirror) -> None:
    mirrors.keep(row, Answered(ms=9), timezone.now())


def bmc_run() -> BmcRun:
    return BmcRun.objects.create(site=site(), action="password", created_by="olga")


def bmc_password() -> BmcPassword:
    return BmcPassword.objects.create(
        machine=machine(), state="changing", candidate=b"encrypted", next_try_at=timezone.now() - LONG_AGO
    )


def bmc_reading() -> BmcReading:
    return BmcReading.objects.create(machine=machine(), next_at=timezone.now() - LONG_AGO)


def software_run() -> SoftwareRun:
    return SoftwareRun.objects.create(site=source().site, roles=["time"], created_by="olga")


def burn_in_plan() -> BurnIn:
    of = source()
    return BurnIn.objects.create(site=of.site, source=of, created_by="olga")


def netbox_import() -> NetBoxRun:
    return NetBoxRun.objects.create(url="https://netbox.example.org", by="olga", steps={"seconds": {}})


def measurement() -> Measurement:
    of, number = source(), next(_numbers)
    link = LinkQuality.objects.create(
        site=of.site, source=of, key=f"a_{number}:b_1", a_guid="a", a_port=number, b_guid="b", b_port=1,
        since=timezone.now(),
    )  # fmt: skip
    return Measurement.objects.create(
        site=of.site, quality=link, asked_by="tina", seconds=60, next_try_at=timezone.now() - LONG_AGO
    )


def collection() -> Collection:
    of, now = site(), timezone.now()
    run = TrainingRun.objects.create(
        site=of, key=f"run-{next(_numbers)}", started_at=now - LONG_AGO, last_report_at=now
    )
    return Collection.objects.create(run=run, site=of, due_at=now - LONG_AGO)


def port_action() -> PortAction:
    of, number = source(), next(_numbers)
    PortPolicy.objects.update_or_create(site=of.site, defaults={"automation": "on"})
    return PortAction.objects.create(
        site=of.site, source=of, link=f"leaf-1:{number}", a_name="leaf-1", a_number=number, a_guid="a",
        b_name="spine-1", b_number=1, b_guid="b", owner="person", cause="errors", proposed_by="tina",
        approved_by="olga", state="approved", next_try_at=timezone.now() - LONG_AGO,
    )  # fmt: skip


def run_machine() -> RunMachine:
    of = machine()
    run = Run.objects.create(site_id=of.device.site_id, created_by="olga", status="running")
    row = RunMachine.objects.create(run=run, machine=of, status="running", next_at=timezone.now() - LONG_AGO)
    for number, step in enumerate(STEPS, start=1):
        Step.objects.create(run_machine=row, number=number, name=step.name.value, title=step.title)
    return row


def boot_medium() -> BootMedium:
    """One that was closed a while ago, and is in its BMC still."""
    then = timezone.now() - LONG_AGO
    return BootMedium.objects.create(
        run_machine=run_machine(), file="noble", token_hash=f"hash{next(_numbers)}", closed_at=then, next_at=then
    )


def bmc_discovery() -> BmcDiscovery:
    place = Site.objects.create(slug=f"site-{next(_numbers)}", name="Site")  # one is open at a site
    return BmcDiscovery.objects.create(site=place, origin="10.0.4.0/24", ranges="10.0.4.0/24", created_by="olga")


def was_seen(row: RunMachine) -> None:
    (claim,) = leases._claims([row], timezone.now())
    poll.record(claim, Looked(Again("not yet")))


def maas_write() -> MaasWrite:
    return MaasWrite.objects.create(machine=machine(), kind="mark_broken", next_try_at=timezone.now() - LONG_AGO)


def ironic_write() -> IronicWrite:
    return IronicWrite.objects.create(machine=machine(), kind="mark_broken", next_try_at=timezone.now() - LONG_AGO)


def ticket_message() -> Message:
    channel = Channel.objects.create(name=f"chat {next(_numbers)}", kind="slack")
    return Message.objects.create(channel=channel, ref="change:1", title="t", next_at=timezone.now() - LONG_AGO)


def external_item() -> ExternalItem:
    tina, _ = User.objects.get_or_create(username="tina")
    row = machine()
    system = TicketSystem.objects.create(
        site=row.device.site, name=f"system {next(_numbers)}", kind="jira", acts_as=tina
    )
    ticket = Ticket.objects.create(
        site=row.device.site, machine=row, part="GPU 1", fault_class="person.report", title="t"
    )
    link = ExternalLink.objects.create(system=system, ticket=ticket)
    return ExternalItem.objects.create(link=link, ref="create", kind="create", next_at=timezone.now() - LONG_AGO)


def meter() -> Meter:
    return Meter.objects.create(
        site=site(), name=f"meter {next(_numbers)}", kind="snmp_pdu", address="10.0.0.1",
        tried_at=timezone.now() - LONG_AGO,
    )  # fmt: skip


def rota() -> Rota:
    return Rota.objects.create(name=f"rota {next(_numbers)}", tried_at=timezone.now() - LONG_AGO)


SAMPLES = {
    failed_handlers.WORK.name: Sample(
        failed_handler, lambda row: failed_handlers.WORK.finish(row, resolved_at=timezone.now())
    ),
    jobs.WORK.name: Sample(job, lambda row: jobs.finish(row, "done", {}, "")),
    dispatch.WORK.name: Sample(message, was_answered),
    leds.WORK.name: Sample(light, was_switched),
    messages.WORK.name: Sample(ticket_message, lambda row: messages.WORK.finish(row, status="sent")),
    systems.WORK.name: Sample(external_item, lambda row: systems.WORK.finish(row, status="done")),
    meter_rounds.WORK.name: Sample(meter, lambda row: meter_rounds.keep(row, MeterError("no answer"), {})),
    calendars.WORK.name: Sample(rota, lambda row: calendars._failed(row, Rota.Status.UNREADABLE, "no calendar")),
    machine_steps.WORK.name: Sample(machine_step, was_seen_off),
    insights.WORK.name: Sample(report_mail, was_mailed),
    vendor_bundles.WORK.name: Sample(vendor_bundle, lambda row: vendor_bundles._finish(row, row.case)),
    vendor_messages.WORK.name: Sample(vendor_message, lambda row: vendor_messages._sent(row, {})),
    desired_state.WORK.name: Sample(wish, was_taken),
    readings.WORK.name: Sample(scheduler_source, lambda row: readings._good(row, None, timezone.now())),
    verifications.WORK.name: Sample(verification, was_looked_at),
    active_runs.WORK.name: Sample(active_run, lambda row: active_runs.finish(row, "done")),
    discoveries.WORK.name: Sample(discovery, lambda row: discoveries.fail(row, "nobody answers")),
    burn_ins.WORK.name: Sample(
        burn_in, lambda row: burn_ins.WORK.finish(row, status="done", finished_at=timezone.now())
    ),
    names.WORK.name: Sample(fabric_name, lambda row: names._note_written(row, "")),
    plans.WORK.name: Sample(burn_in_plan, lambda row: plans.WORK.finish(row, status="failed")),
    netbox.WORK.name: Sample(netbox_import, lambda row: netbox.WORK.finish(row, status="done")),
    measurements.WORK.name: Sample(measurement, lambda row: measurements._end(row, Measurement.Status.DONE, "")),
    collections.WORK.name: Sample(collection, lambda row: collections.WORK.finish(row, status="done")),
    orders.WORK.name: Sample(port_action, lambda row: orders.record(row, "held", "")),
    leases.WORK.name: Sample(run_machine, was_seen),
    ironic_writes.WORK.name: Sample(ironic_write, lambda row: ironic_writes.WORK.finish(row, status="done")),
    media.WORK.name: Sample(boot_medium, lambda row: media.WORK.finish(row, ended_at=timezone.now(), message="")),
    maas_writes.WORK.name: Sample(maas_write, lambda row: maas_writes.WORK.finish(row, status="done")),
    bmc_discoveries.WORK.name: Sample(bmc_discovery, lambda row: bmc_discoveries.finish(row, Status.DONE)),
    images.WORK.name: Sample(placement, was_placed),
    mirrors.WORK.name: Sample(mirror, was_watched),
    bmc_runs.WORK.name: Sample(bmc_run, lambda row: bmc_runs.WORK.finish(row, status="done")),
    bmc_passwords.WORK.name: Sample(
        bmc_password, lambda row: bmc_passwords.WORK.finish(row, state="own", candidate=None)
    ),
    bmc_readings.WORK.name: Sample(bmc_reading, lambda row: bmc_readings.WORK.finish(row, next_at=None)),
    software.WORK.name: Sample(software_run, lambda row: software.WORK.finish(row, status="done")),
}
