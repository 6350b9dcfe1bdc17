"""What is read for a bundle, from the records, the BMC and the host. Each source fails alone and says why."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from access.bmc import BmcResult, failed, known_by
from access.queries import BmcTarget, bmc_targets, ssh_targets
from access.services import record_bmc_identities, record_identities
from drivers import redfish_logs
from drivers.bmc.collections import NoCollection, Ordered, Stand, follow, order
from drivers.bmc.firmware import read_firmware
from drivers.redfish import RedfishClient, RedfishError
from drivers.ssh import Limits, SshResult, run_one
from health.machines.remote import by_root
from inventory.models import Installation
from tickets.models import Comment, Evidence, Step
from tickets.vendors import scrub
from tickets.vendors.manifest import LARGEST, Piece, safe_name
from tickets.vendors.models import VendorCase

REQUEST_S, BMC_S, DOWNLOAD_S = 8.0, 30.0, 40.0
MARK = "# rackside-bundle"
HOST_LIMITS = Limits(connect_timeout_s=5, login_timeout_s=5, command_timeout_s=35, output_cap_bytes=LARGEST)
BUG_REPORT = f"""{MARK} nvidia-bug-report
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
command -v nvidia-bug-report.sh >/dev/null || {{ echo 'nvidia-bug-report.sh is not installed' >&2; exit 127; }}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" && timeout 30 nvidia-bug-report.sh --safe-mode --output-file report >/dev/null 2>&1
[ -s report.log.gz ] || {{ echo 'nvidia-bug-report.sh wrote nothing in 30 s' >&2; exit 1; }}
cat report.log.gz
"""
"""`--safe-mode` leaves out what may hang a machine whose GPU is gone."""
MOST_UNPACKED = 4 * LARGEST


def as_json(value: Any) -> bytes:
    return json.dumps(scrub.json_value(value), indent=2, cls=DjangoJSONEncoder).encode()


def missing(name: str, source: str, reason: str, at: datetime | None = None) -> Piece:
    return Piece(safe_name(name), source, at or timezone.now(), reason=scrub.text(reason)[:300] or "no reason given")


# ---- what Rackside knows ----


def of_records(case: VendorCase) -> list[Piece]:
    """The machine with its parts, and the evidence of the ticket. A fixed number of queries."""
    now, device = timezone.now(), case.ticket.device
    parts = [
        {"slot": row.slot, "kind": row.component.kind, "vendor": row.component.vendor, "serial": row.component.serial,
         "part_number": row.component.part_number, "firmware": row.component.attributes.get("firmware", "")}
        for row in Installation.objects.filter(device=device, during__endswith=None)
        .select_related("component").order_by("slot")
    ] if device is not None else []  # fmt: skip
    machine = {
        "name": case.ticket.about[1], "model": device.model.name if device is not None else "",
        "vendor": device.model.vendor if device is not None else "", "service_tag": case.service_tag,
        "serial": device.serial if device is not None else "", "warranty_until": case.warranty_until,
        "failed_part": {"slot": case.part, "serial": case.old_serial, "part_number": case.old_part_number},
        "parts": parts,
    }  # fmt: skip
    seen = list(
        Evidence.objects.filter(ticket=case.ticket).values(
            "at", "source", "check_id", "part", "verdict", "message", "command", "exit_status", "excerpt"
        )
    )
    steps = Step.objects.filter(ticket=case.ticket).order_by("number").values("number", "title", "done_at", "outcome")
    said = Comment.objects.filter(ticket=case.ticket).values("at", "text")
    repair = {"steps": list(steps), "comments": list(said)}
    found = [
        Piece("machine.json", "inventory", now, as_json(machine)),
        Piece("evidence.json", "checks", now, as_json(seen)),
        Piece("repair.json", "ticket", now, as_json(repair)),
    ]
    if not seen:
        found[1] = missing("evidence.json", "checks", "the ticket has no evidence", now)
    return found


# ---- what BMC and host say ----


def of_machine(machine_id: int) -> list[Piece]:
    """Redfish and nvidia-bug-report, asked at the same time. Never raises for the machine."""
    targets, hosts = bmc_targets([machine_id]), ssh_targets([machine_id])

    async def both() -> tuple[tuple[list[Piece], BmcResult | None], SshResult | None]:
        bmc = _bmc(targets[0]) if targets else _no_bmc()
        host = (
            run_one(hosts[0], by_root(hosts[0], BUG_REPORT), HOST_LIMITS) if hosts and hosts[0].address else _nothing()
        )
        asked = await asyncio.gather(bmc, host)
        return asked[0], asked[1]

    (pieces, contact), reported = asyncio.run(both())
    if contact is not None:
        record_bmc_identities([contact], actor="vendor case")
    if reported is not None:
        record_identities([reported], actor="vendor case")
    return [*pieces, _bug_report(reported)]


async def _nothing() -> None:
    return None


async def _no_bmc() -> tuple[list[Piece], BmcResult | None]:
    return [missing("redfish", "BMC", "the machine is not in the inventory")], None


async def _bmc(target: BmcTarget) -> tuple[list[Piece], BmcResult | None]:
    """Reports, firmware and logs of a BMC; what one of them costs, the others do not pay."""
    if not target.address:
        return [missing("redfish", "BMC", "no BMC address is known")], None
    client = target.client(REQUEST_S)
    try:
        async with asyncio.timeout(BMC_S), client:
            answers = await client.report()
            pieces = [
                Piece(f"redfish/{name}.json", "BMC", timezone.now(), as_json(value))
                for name in answers.__slots__
                if isinstance(value := getattr(answers, name), dict | list)
            ]
            pieces.append(await _or_missing("redfish/firmware.json", _firmware(client)))
            pieces += await _logs(client, answers.manager, answers.system)
            return pieces, BmcResult(target, fingerprint=known_by(client))
    except (RedfishError, TimeoutError) as error:
        reason = str(error) or f"no answer within {BMC_S:g} s"
        return [missing("redfish", "BMC", reason)], failed(target, client, error)


async def _firmware(client: RedfishClient) -> bytes:
    return as_json(
        [{"id": each.id, "name": each.name, "version": each.version} for each in await read_firmware(client)]
    )


async def _or_missing(name: str, read: Any) -> Piece:
    try:
        return Piece(name, "BMC", timezone.now(), await read)
    except RedfishError as error:
        return missing(name, "BMC", str(error))


async def _logs(client: RedfishClient, manager: Mapping[str, Any] | None, system: Mapping[str, Any]) -> list[Piece]:
    try:
        dialect, boards = await client.dialect(), await client.boards()
        reads = await redfish_logs.read_logs(client, manager, system, {}, wanted=dialect.logs, boards=boards)
    except RedfishError as error:
        return [missing("redfish/logs", "BMC", str(error))]
    if not reads:
        return [missing("redfish/logs", "BMC", "the BMC has no logs")]
    names = log_names([read.path for read in reads])
    return [
        Piece(safe_name(f"redfish/logs/{name}.json"), "BMC", timezone.now(), as_json(list(read.rows)))
        for name, read in zip(names, reads, strict=True)
    ]


def log_names(paths: Sequence[str]) -> list[str]:
    """`Sel` of `/redfish/v1/Managers/1/LogServices/Sel/Entries`; with its owner where one before has the same, as the
    GPUs' board has an `EventLog` beside that of the manager."""
    names: list[str] = []
    for path in paths:
        owner, _, name = path.rstrip("/").removesuffix("/Entries").rpartition("/LogServices/")
        name = name.rpartition("/")[2] or "log"
        names.append(f"{owner.rpartition('/')[2]}-{name}" if name in names else name)
    return names


def _bug_report(result: SshResult | None) -> Piece:
    name, source = "host/nvidia-bug-report.log.gz", "host"
    if result is None:
        return missing(name, source, "no address is known for the machine")
    if result.failure is not None:
        return missing(name, source, str(result.failure))
    if result.exit_status != 0:
        told = result.stderr.decode("utf-8", "replace").strip()
        return missing(name, source, told or f"exit status {result.exit_status}")
    try:
        text = gunzipped(result.stdout)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        return missing(name, source, f"what came is no gzip: {error}")
    return Piece(name, source, timezone.now(), gzip.compress(scrub.text(text).encode(), mtime=0))


def gunzipped(data: bytes) -> str:
    """Raises ValueError for what unpacks to more than is reasonable."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    text = unpacker.decompress(data, MOST_UNPACKED)
    if unpacker.unconsumed_tail:
        raise ValueError(f"it unpacks to more than {MOST_UNPACKED} bytes")
    if not unpacker.eof:
        raise EOFError("it breaks off")
    return text.decode("utf-8", "replace")


# ---- the vendor's own collection ----


def order_collection(machine_id: int) -> Ordered | str:
    """Let the BMC collect; or why it does not. Never raises for the machine."""
    return _with_bmc(machine_id, lambda client: order(client, timezone.localdate()), REQUEST_S * 3)


def follow_collection(machine_id: int, task: str) -> Stand | str:
    return _with_bmc(machine_id, lambda client: follow(client, task), REQUEST_S * 3)


def fetch_collection(machine_id: int, place: str) -> bytes | str:
    return _with_bmc(machine_id, lambda client: client.download(place, LARGEST), DOWNLOAD_S)


def _with_bmc(machine_id: int, ask: Any, total_s: float) -> Any:
    target = next(iter(bmc_targets([machine_id])), None)
    if target is None or not target.address:
        return "no BMC address is known"

    async def asked() -> Any:
        client = target.client(DOWNLOAD_S if total_s == DOWNLOAD_S else REQUEST_S)
        try:
            async with asyncio.timeout(total_s), client:
                return await ask(client)
        except NoCollection as error:
            return str(error)
        except (RedfishError, TimeoutError) as error:
            return str(error) or f"no answer within {total_s:g} s"

    return asyncio.run(asked())


def named(pieces: Iterable[Piece]) -> dict[str, Piece]:
    """By name; a name that came twice keeps the first."""
    found: dict[str, Piece] = {}
    for each in pieces:
        found.setdefault(each.name, each)
    return found
