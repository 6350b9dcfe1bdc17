"""`demo` and `run`: the full stack until Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from config.embedded.instance import ROOT, Instance
from config.embedded.programs import stack
from config.embedded.progress import LaunchError
from config.embedded.terse_log import TerseLog
from config.embedded.update import migrate

REFERENCE_MACHINES = 511
PAST_WANTED = "wanted, days: "
DEMO_DEFAULTS = {
    "RACKSIDE_SWEEP_PERIOD_S": "30",
    "RACKSIDE_PROVISION_TIME_SCALE": "0.2",
    "RACKSIDE_LOCAL_ADDRESSES": "1",  # the virtual hall answers on loopback
}


def last_json(output: str) -> dict[str, Any]:
    """The JSON object in the last line that a management command printed; empty without one."""
    for line in reversed(output.strip().splitlines()):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    return {}


def stay(instance: Instance, words: list[str], beside: Callable[[], None] = lambda: None) -> None:
    """Say where it is, then show the terse log until a signal. `beside` is called at each turn."""
    progress, supervisor = instance.progress, instance.supervisor
    started_at = time.time()
    written: dict[str, Any] = {}

    def keep_record() -> None:
        """What `status` and the watchdog read; written when it changed."""
        nonlocal written
        record = {
            "pid": os.getpid(),
            "url": instance.url,
            "started_at": started_at,
            "environment": instance.own_defaults(),
            "children": {child.name: child.process.pid for child in supervisor.children},
            "troubles": supervisor.troubles(),
        }
        if stable(record) != stable(written):
            with contextlib.suppress(OSError):  # a full disk: the next turn tries again
                instance.folder.write_record("instance", record)
                written = record

    keep_record()
    progress.line("")
    for line in words:
        progress.line(f"  {line}")
    progress.line(f"  Logs      {instance.folder.logs}")
    progress.line("  Ctrl-C stops everything; the data stays.\n")
    log = TerseLog(instance.folder.log(child.name) for child in supervisor.children)

    def each_turn() -> None:
        keep_record()
        beside()
        for line in log.news():
            progress.line(line)

    supervisor.watch(each_turn)


def stable(record: dict[str, Any]) -> str:
    """The record without what only drifts, to tell whether it changed."""
    troubles = [{**trouble, "at": round(trouble["at"])} for trouble in record.get("troubles", [])]
    return json.dumps({**record, "troubles": troubles}, sort_keys=True)


def demo(
    instance: Instance, *, machines: int | None, bare: int, faults_per_hour: float, fresh: bool, past_days: int
) -> None:
    """The reference fleet in a virtual hall, swept and shown."""
    instance.refuse_taken_port()
    if not fresh:
        refuse_another_size(instance, machines)
    instance.defaults |= DEMO_DEFAULTS
    with instance.opened(fresh=fresh, preload=True):
        slice_number, claim = stack.claim_slice(instance.folder.read_record("hall").get("slice"))
        instance.folder.write_record("hall", {"slice": slice_number})
        with claim:
            if instance.folder.read_record("done").get("fleet"):
                migrate(instance, backup_first=False)
                login = set_up_demo(instance, slice_number)
                stack.start_hall(instance, slice_number, faults_per_hour)
                wait_for_hall(instance, slice_number)
                stack.start_programs(instance)  # they go on at once with what the last stop cut off
            else:  # nothing waits in the queues: each comes up as soon as it can, beside the loading
                migrate_and_load(instance, machines, bare, past_days)
                stack.start_hall(instance, slice_number, faults_per_hour)
                login = set_up_demo(instance, slice_number)
                wait_for_hall(instance, slice_number)
            stack.start_clock(instance)
            words = [
                f"Dashboard {instance.url}",
                f"Sign in   {login.get('login', '?')} / {login.get('password', '?')}",
                "          operator, technician and viewer have the same password.",
                *try_words(instance, login.get("example", "")),
            ]
            with past_beside(instance) as told:
                stay(instance, words, told)


@contextlib.contextmanager
def past_beside(instance: Instance) -> Iterator[Callable[[], None]]:
    """Write the made-up history of a new demo beside its first sweep; what is given says once what came of it."""
    folder = instance.folder
    wanted = str(folder.read_record("done").get("past", ""))
    if not wanted.startswith(PAST_WANTED):
        yield lambda: None
        return
    result = folder.path / "past.json"
    result.unlink(missing_ok=True)
    options = ["--site", stack.DEMO_SITE, "--days", wanted.removeprefix(PAST_WANTED), "--tell", str(result)]

    def tell() -> None:
        if result.exists():
            said = json.loads(result.read_text())
            result.unlink()
            folder.mark_done("past", "made")
            instance.progress.line(f"  History   {said}")

    with instance.managing("demo-past", "demo_past", *options):
        yield tell


def wait_for_hall(instance: Instance, slice_number: int) -> None:
    with instance.progress.step("Virtual hall") as step:
        instance.supervisor.wait_ready("hall")
        step.note(f"machines answer on 127.{slice_number}.*.*")


def try_words(instance: Instance, machine: str) -> list[str]:
    """A fault to try, on a machine that this fleet has; nothing where none is known."""
    if not machine:
        return []
    return [
        f'Try       ./rackside manage {data_option(instance, "demo")}hall_fault {machine} gpu_off_bus --slot "GPU 5"'
    ]


def fleet_file(instance: Instance) -> str:
    return str(instance.folder.path / "fleet.yaml")


def migrate_and_load(instance: Instance, machines: int | None, bare: int, past_days: int) -> None:
    """The first start: the fleet is made up and read while the tables are made, and loaded while users and keys are."""
    wanted = machines or REFERENCE_MACHINES
    tables_are_made = instance.folder.path / "tables-are-made"
    tables_are_made.unlink(missing_ok=True)
    options = ["--machines", str(wanted), "--bare", str(bare), "--output", fleet_file(instance)]
    options += ["--load-after", str(tables_are_made)]
    if past_days:
        options += ["--installed-days-ago", str(past_days + 1)]
    with instance.managing("reference-fleet", "reference_fleet", *options) as loaded:
        migrate(instance, backup_first=False)
        tables_are_made.touch()
        stack.start_programs(instance)
        place = str(stack.hall_control(instance).parent)
        with instance.managing("demo-accounts", "demo_setup", "--hall", place) as accounts:
            try:
                with instance.progress.step(f"Loading the fleet, {wanted} machines"):
                    loaded()
            finally:  # the password is told once: it is kept also where the loading fails or is stopped
                keep_login(instance, last_json(accounts()))
    if past_days:
        instance.folder.mark_done("past", f"{PAST_WANTED}{past_days}")
    instance.folder.mark_done("fleet", str(wanted))


def refuse_another_size(instance: Instance, machines: int | None) -> None:
    """A data folder keeps the size that its fleet began with."""
    loaded = instance.folder.read_record("done").get("fleet")
    if machines and loaded and int(loaded) != machines:
        raise LaunchError(
            f"This data folder holds a fleet of {loaded} machines, not {machines}.",
            "Add --fresh to begin again with an empty database, or give another --data.",
        )


def keep_login(instance: Instance, said: dict[str, Any]) -> None:
    """What a command said of the users; those who were there already have the password that was told then."""
    kept = instance.folder.read_record("login")
    instance.folder.write_record("login", {**kept, **{name: value for name, value in said.items() if value}})


def set_up_demo(instance: Instance, slice_number: int) -> dict[str, Any]:
    """Users, credentials, endpoints, meters and policy of the demo; again when the slice of loopback changed, or for a
    folder from before there were meters."""
    folder = instance.folder
    wanted = f"slice {slice_number}, meters"
    if not folder.is_done("demo_setup", wanted):
        with instance.progress.step("Users, credentials, policy"):
            place = str(stack.hall_control(instance).parent)
            options = ["--site", stack.DEMO_SITE, "--slice", str(slice_number), "--hall", place]
            keep_login(instance, last_json(instance.manage("demo-setup", "demo_setup", *options)))
        folder.mark_done("demo_setup", wanted)
    return folder.read_record("login")


def run(instance: Instance) -> None:
    """The stack of a real site: no hall, no sample data."""
    instance.refuse_taken_port()
    with instance.opened(preload=True):
        migrate(instance, backup_first=True)
        words = [f"Dashboard {instance.url}"]
        if not instance.folder.is_done("administrator", "made"):
            with instance.progress.step("First administrator"):
                made = last_json(instance.manage("create-admin", "create_admin", "--one-time"))
            instance.folder.mark_done("administrator", "made")
            if made.get("password"):
                words += [
                    f"Sign in   {made['login']} / {made['password']}",
                    "          This password is shown now only and must be changed at the first sign-in.",
                ]
                for line in words[1:]:  # at once: a start that fails later must not swallow it
                    instance.progress.line(f"  {line}")
        words.append(f"Fleet     ./rackside manage {data_option(instance)}load_fleet FILE   (docs/fleet-file.md)")
        stack.start_programs(instance)
        stack.start_clock(instance)
        stay(instance, words)


def data_option(instance: Instance, name: str = "site") -> str:
    """The --data words a person has to add so that a command meets this instance."""
    default = (ROOT / "var" / name).resolve()
    return "" if instance.folder.path == default else f"--data {instance.folder.path} "
