"""What else happened: deliveries with their first installation, training runs, and links that flapped."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import connection
from psycopg.types.json import Jsonb

from config.past.tables import Table, copy
from core.models import Site
from fabric.models import FabricSource
from fabric.quality import events as kinds
from inventory.kinds.sql import new_ids
from inventory.models import Device
from provisioning.steps import Status, StepName
from runs.causes.classes import CLASSES
from runs.models import TrainingRun
from simulator.past import work
from simulator.past.story import Story

DOWN, UP = (328, "Link is Down", "Warning"), (329, "Link is Up", "Info")
RECEIVER = "operator"
PORTS = """
SELECT switch.node_guid, 2 * port.cage + port.lane - 2, device.name FROM inventory_port port
JOIN inventory_switch switch ON switch.device_id = port.device_id
JOIN inventory_device device ON device.id = port.device_id
WHERE device.site_id = %s AND switch.node_guid <> '' AND port.kind = 'infiniband'
    AND port.cage IS NOT NULL AND port.lane IS NOT NULL
ORDER BY 3, 2
"""


def write(site: Site, story: Story, *, begin: datetime, now: datetime, seed: int) -> Mapping[str, int]:
    """Everything of this module; returns how many rows went where."""
    return {
        **_deliveries(site, story),
        **_jobs(site, story, begin, now, seed),
        **_flaps(site, begin, now, seed),
    }


def _deliveries(site: Site, story: Story) -> dict[str, int]:
    boots = {boot.machine: boot for boot in story.first_boots}
    boxes = work.deliveries(story.first_boots)
    devices = {
        pk: row
        for pk, *row in Device.objects.filter(pk__in=boots).values_list(
            "pk", "service_tag", "serial", "name", "model__name", "model__vendor", "machine__bmc_mac",
            "machine__boot_mac", "placement__rack__name",
        )
    }  # fmt: skip
    delivery = Table("provisioning_delivery", (
        "id", "site_id", "order", "vendor", "filename", "received_at", "received_by",
    ))  # fmt: skip
    items = Table("provisioning_deliveryitem", (
        "delivery_id", "number", "service_tag", "model", "bmc_mac", "macs", "rack", "machine_id", "accepted_at",
        "accepted_by",
    ))  # fmt: skip
    runs = Table("provisioning_run", (
        "id", "site_id", "name", "engine", "limit", "status", "created_at", "created_by", "finished_at",
    ))  # fmt: skip
    members = Table("provisioning_runmachine", (
        "run_id", "machine_id", "status", "step", "attempt", "failure_class", "failure_text", "first_failure", "ticket",
        "started_at", "finished_at", "host_key", "log_count", "lost_workers",
    ))  # fmt: skip
    ids = zip(new_ids("provisioning_delivery", len(boxes)), new_ids("provisioning_run", len(boxes)), strict=True)
    for box, (pk, run) in zip(boxes, ids, strict=True):
        vendor = devices[box.machines[0]][4]
        delivery.add(pk, site.pk, box.order, vendor, f"{box.order}.csv", box.at, RECEIVER)
        ended = max(boots[machine].ready for machine in box.machines)
        runs.add(
            run,
            site.pk,
            f"First installation of {box.order}",
            "redfish",
            16,
            Status.DONE.value,
            box.at,
            RECEIVER,
            ended,
        )
        for number, machine in enumerate(box.machines, start=1):
            boot = boots[machine]
            tag, serial, name, model, _, bmc, mac, rack = devices[machine]
            items.add(
                pk, number, tag or serial or name, model, bmc or "", [mac] if mac else [], rack or "", machine,
                boot.began, RECEIVER,
            )  # fmt: skip
            failure = boot.failure[0] if boot.failure else ""
            members.add(
                run, machine, Status.DONE.value, StepName.SSH.value, 1 if failure else 0, "", "", failure, "",
                boot.began, boot.ready, "", 0, 0,
            )  # fmt: skip
    return {table.name: table.copy() for table in (delivery, items, runs, members)}


def _jobs(site: Site, story: Story, begin: datetime, now: datetime, seed: int) -> dict[str, int]:
    names = dict(Device.objects.filter(site=site, kind="machine").values_list("pk", "name"))
    jobs = work.jobs(story.repairs, len(story.first_boots), begin, now, tuple(CLASSES), seed)
    columns = (
        "site_id", "key", "attempt", "repeat", "found_by", "name", "user", "job", "launcher", "world_size", "logs",
        "rendezvous", "ranks_digest", "state", "since", "started_at", "ended_at", "last_report_at", "steps",
        "last_step", "last_step_at", "baseline_s", "recent_s", "checkpoint_step", "checkpoint_at", "settings",
        "verdict", "evaluated_at",
    )  # fmt: skip
    rows = [
        (
            site.pk, f"past-{job.number}", 0, 0, ["report"], job.name, job.user, f"{9000 + job.number}", "torchrun",
            8 * job.machines, "", "", "",
            TrainingRun.State.FAILED if job.cause else TrainingRun.State.COMPLETED, job.ended, job.began, job.ended,
            job.ended, job.steps, job.steps, job.ended - timedelta(seconds=job.step_s), job.step_s, job.step_s,
            int(job.steps * 0.98), job.checkpoint, Jsonb({}), _verdict(job, names), job.ended if job.cause else None,
        )
        for job in jobs
    ]  # fmt: skip
    return {"runs_trainingrun": copy("runs_trainingrun", columns, rows)}


def _verdict(job: work.Job, names: Mapping[int, str]) -> Jsonb | None:
    """As `runs` keeps it: what the logs told of a run that failed."""
    if job.cause is None:
        return None
    known = CLASSES[job.cause]
    who = names.get(job.machine or 0, "")
    return Jsonb(
        {
            "class": job.cause,
            "owner": known.owner,
            "hardware_fault": known.hardware,
            "sentence": known.says.format(who=who or "A rank", what=job.cause),
            "first_step": known.first,
            "confidence": 0.9,
            "rank": None,
            "machine": job.machine,
            "machine_name": who,
            "slot": "",
            "slot_text": "",
            "lines": [],
            "followers": 0,
            "ruled_out": [],
        }
    )


def _flaps(site: Site, begin: datetime, now: datetime, seed: int) -> dict[str, int]:
    source = FabricSource.objects.filter(site=site).order_by("pk").first()
    with connection.cursor() as cursor:
        cursor.execute(PORTS, [site.pk])
        ports = cursor.fetchall()
    if source is None:
        return {}
    columns = (
        "site_id", "source_id", "number", "at", "at_is_reported", "code", "name", "severity", "group", "never_dropped",
        "guid", "port", "device_name", "text",
    )  # fmt: skip
    rows = []
    for n, flap in enumerate(work.flaps(len(ports), begin, now, seed)):
        guid, port, device = ports[flap.port]
        for part, ((code, name, severity), at) in enumerate(
            ((DOWN, flap.at), (UP, flap.at + timedelta(seconds=flap.down_s)))
        ):
            text = f"{name}: {device} port {port}"
            number = f"past-{2 * n + part}"
            kind = kinds.kind_of(kinds.FabricEvent(number, at, code, name, severity, guid, port, device, text))
            rows.append((
                site.pk, source.pk, number, at, True, code, name, kind.severity.value, kind.group,
                kind.keep is kinds.Keep.ALWAYS, guid, port, device, text,
            ))  # fmt: skip
    return {"fabric_fabricevent": copy("fabric_fabricevent", columns, rows)}
