"""`manage.py hall`: run the virtual hall for the loaded inventory, or for a number of sample machines."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import logging
import os
import signal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from simulator import schedule
from simulator.control import Control
from simulator.fabric import faults as fabric_faults
from simulator.fabric.hall import FabricDoors
from simulator.fabric.plan import FabricPlan
from simulator.fabric.ufm import UfmAccess
from simulator.hall import Hall, HallError, Timing
from simulator.heat.sample import sample_heat
from simulator.machine.doors import DoorError
from simulator.meters.doors import MeterAccess, MeterDoors
from simulator.plan import REDFISH_PORT, SSH_PORT, HallPlan, PlanError, sample_plan

GIVE_BACK_EVERY_S = 30.0


class Command(BaseCommand):
    help = "Run the virtual hall: every machine answers SSH and its BMC answers Redfish, on loopback."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", help="Slug of the site whose machines to run.")
        parser.add_argument("--sample", type=int, help="Run this many generated machines instead.")
        parser.add_argument("--plan", type=Path, help="Run the machines of a hall plan file instead.")
        parser.add_argument("--data", type=Path, required=True, help="Folder of the hall's state.")
        parser.add_argument("--slice", type=int, default=1, help="127.SLICE.y.z is this instance's own (1 to 254).")
        parser.add_argument("--ssh-port", type=int, default=SSH_PORT, help="0: a port from the kernel.")
        parser.add_argument("--redfish-port", type=int, default=REDFISH_PORT, help="0: a port from the kernel.")
        parser.add_argument("--control-port", type=int, default=0, help="Port of the control interface on 127.0.0.1.")
        parser.add_argument("--authorized-keys", type=Path, help="Public keys that may log in, one a line.")
        parser.add_argument("--bmc-user", default="root")
        parser.add_argument("--bmc-password-file", type=Path, help="Otherwise RACKSIDE_HALL_BMC_PASSWORD, or calvin.")
        parser.add_argument(
            "--boot-url",
            default=f"{settings.PUBLIC_URL}/boot/{{mac}}?serial={{serial}}",
            help="Where network boot asks for its script, as a site's DHCP would say; with {mac}, {serial} or {uuid}.",
        )
        parser.add_argument("--boot-seconds", type=float, default=Timing.boot_s)
        parser.add_argument("--install-seconds", type=float, default=Timing.install_s)
        parser.add_argument("--bare", action="append", default=[], metavar="NAME", help="Has no system yet.")
        parser.add_argument("--schedule-seed", type=int, help="Inject random faults: the sequence of this seed.")
        parser.add_argument("--faults-per-hour", type=float, default=6.0)
        parser.add_argument("--fabric", action="store_true", help="With --site: UFM and switches answer too.")
        parser.add_argument("--fabric-plan", type=Path, help="Run the fabric of this file.")
        parser.add_argument("--ufm-user", default="admin")
        parser.add_argument("--ufm-password-file", type=Path, help="Otherwise as --bmc-password-file.")
        parser.add_argument(
            "--heat", action="store_true", help="Racks warm up, PDUs, cooling and the site's meter answer."
        )
        parser.add_argument("--heat-pace", type=float, default=1.0, help="Temperatures move so many times faster.")
        parser.add_argument("--meter-secret-file", type=Path, help="Community, and passwords of SNMP's version 3.")
        parser.add_argument("--wiring-faults", type=int, metavar="SEED", help="Begin with a few faults of cabling.")

    def handle(self, *args: Any, **options: Any) -> None:
        logging.basicConfig(format="%(levelname)s %(name)s %(message)s")
        logging.getLogger("asyncssh").setLevel(logging.WARNING)
        try:
            plan = _plan(options)
            options["parts"] = _fabric(plan, options) | _heat(plan, options)
            asyncio.run(self._run(plan, options))
        except (HallError, DoorError, PlanError, OSError) as error:
            raise CommandError(str(error)) from error

    async def _run(self, plan: HallPlan, options: dict[str, Any]) -> None:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        timing = Timing(boot_s=options["boot_seconds"], install_s=options["install_seconds"])
        hall = Hall(plan, options["data"], timing=timing, boot_url=options["boot_url"], **options["parts"])
        await hall.start()
        if hall.fabric is not None and options["wiring_faults"] is not None:
            fabric_faults.begin_with_faults(hall.fabric.wiring, options["wiring_faults"], hall.clock())
            hall.fabric.keep()
        control = Control(hall, port=options["control_port"])
        await control.start()
        faults = None
        if options["schedule_seed"] is not None:
            work = schedule.run(hall, options["schedule_seed"], options["faults_per_hour"])
            faults = asyncio.create_task(work)
        self.stdout.write(f"hall control: {control.url}")
        self.stdout.write(f"hall ready: {len(plan.machines)} machines")
        self.stdout.flush()
        giving_back = asyncio.create_task(_give_back())
        await stop.wait()
        giving_back.cancel()
        if faults:
            faults.cancel()
        await control.stop()
        await hall.stop()


async def _give_back() -> None:
    """Free memory goes back to the system now and then: the start and the first sweep need 200 MB for moments."""
    while True:
        await asyncio.sleep(GIVE_BACK_EVERY_S)
        with contextlib.suppress(OSError, AttributeError):  # another C library than glibc
            ctypes.CDLL(None).malloc_trim(0)


def _fabric(plan: HallPlan, options: dict[str, Any]) -> dict[str, Any]:
    """The fabric the options ask for, as arguments of Hall; none without one. Raises PlanError."""
    if options["fabric_plan"]:
        fabric = FabricPlan.load(options["fabric_plan"])
    elif options["fabric"] and options["site"]:
        from simulator.fabric.from_inventory import fabric_from_inventory

        fabric = fabric_from_inventory(options["site"], plan)
    elif options["fabric"]:
        raise PlanError("--fabric takes the cables of a site: say --site, or give --fabric-plan FILE")
    else:
        return {}
    password = plan.bmc_password
    if options["ufm_password_file"]:
        password = options["ufm_password_file"].read_text().strip()
    switches = sum(node.kind == "switch" for node in fabric.of_layer("ethernet"))
    doors = FabricDoors.in_slice(options["slice"], switches)
    return {"fabric": fabric, "fabric_doors": doors, "fabric_access": UfmAccess(options["ufm_user"], password)}


def _heat(plan: HallPlan, options: dict[str, Any]) -> dict[str, Any]:
    """Racks and meters as the options ask for them, as arguments of Hall; none without `--heat`. Raises PlanError."""
    if not options["heat"]:
        return {}
    if options["site"]:
        from simulator.heat.from_inventory import heat_from_inventory

        heat = heat_from_inventory(options["site"], plan)
    else:
        heat = sample_heat(plan)
    access = MeterAccess(username=plan.bmc_user, password=plan.bmc_password)
    if options["meter_secret_file"]:
        secret = options["meter_secret_file"].read_text().strip()
        access = MeterAccess.of(secret, plan.bmc_user, plan.bmc_password)
    doors = MeterDoors.in_slice(options["slice"])
    return {"heat": heat, "meter_doors": doors, "meter_access": access, "heat_pace": options["heat_pace"]}


def _plan(options: dict[str, Any]) -> HallPlan:
    """The plan the options ask for, with who may enter. Raises PlanError."""
    ports = {"ssh_port": options["ssh_port"], "redfish_port": options["redfish_port"]}
    if options["sample"]:
        plan = sample_plan(options["sample"], slice_number=options["slice"], **ports)
    elif options["plan"]:
        plan = HallPlan.load(options["plan"])
    elif options["site"]:
        from simulator.from_inventory import plan_from_inventory

        plan = plan_from_inventory(options["site"], options["slice"], **ports)
    else:
        raise PlanError("say which machines: --site SLUG, --sample N or --plan FILE")
    keys = plan.authorized_keys
    if options["authorized_keys"]:
        lines = options["authorized_keys"].read_text().splitlines()
        keys = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    password = os.environ.get("RACKSIDE_HALL_BMC_PASSWORD") or plan.bmc_password or "calvin"
    if options["bmc_password_file"]:
        password = options["bmc_password_file"].read_text().strip()
    return plan.with_access(keys, options["bmc_user"], password, bare=set(options["bare"]))
