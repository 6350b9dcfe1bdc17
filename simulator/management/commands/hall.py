"""`manage.py hall`: run the virtual hall for the loaded inventory, or for a number of sample machines."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from simulator import schedule
from simulator.control import Control
from simulator.doors import DoorError
from simulator.hall import Hall, HallError, Timing
from simulator.plan import REDFISH_PORT, SSH_PORT, HallPlan, PlanError, sample_plan


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

    def handle(self, *args: Any, **options: Any) -> None:
        logging.basicConfig(format="%(levelname)s %(name)s %(message)s")
        logging.getLogger("asyncssh").setLevel(logging.WARNING)
        try:
            asyncio.run(self._run(_plan(options), options))
        except (HallError, DoorError, PlanError, OSError) as error:
            raise CommandError(str(error)) from error

    async def _run(self, plan: HallPlan, options: dict[str, Any]) -> None:
        stop = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        timing = Timing(boot_s=options["boot_seconds"], install_s=options["install_seconds"])
        hall = Hall(plan, options["data"], timing=timing, boot_url=options["boot_url"])
        await hall.start()
        control = Control(hall, port=options["control_port"])
        await control.start()
        faults = None
        if options["schedule_seed"] is not None:
            work = schedule.run(hall, options["schedule_seed"], options["faults_per_hour"])
            faults = asyncio.create_task(work)
        self.stdout.write(f"hall control: {control.url}")
        self.stdout.write(f"hall ready: {len(plan.machines)} machines")
        self.stdout.flush()
        await stop.wait()
        if faults:
            faults.cancel()
        await control.stop()
        await hall.stop()


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
