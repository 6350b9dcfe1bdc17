"""`facility read HOST`: what one PDU measures now, asked by SNMP. Needs no Django, no settings, no database.

The community, or user and passwords of version 3, come from the environment, so that they stand in no list of
processes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from drivers.meters.snmp import PORT, Community, SnmpUser
from facility import readers
from facility.facts import UNITS
from facility.readers import Answer, MeterError, NotKnown

UNKNOWN_KIND = 2
"""Exit status where the agent answers, and is no PDU that is known here. No answer: 1."""


def main(arguments: Sequence[str]) -> int:
    """The command as a program; returns its exit status."""
    parser = ArgumentParser(
        prog="manage.py facility",
        description="Ask a PDU by SNMP what it measures. RACKSIDE_SNMP_COMMUNITY is the community (public without it); "
        "with RACKSIDE_SNMP_USER version 3 is spoken, with RACKSIDE_SNMP_PASSWORD and RACKSIDE_SNMP_PRIVACY.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    read_one = actions.add_parser("read", help="what a PDU measures now")
    read_one.add_argument("host", help="address or name of its SNMP agent")
    read_one.add_argument("--port", type=int, default=PORT)
    read_one.add_argument("--unit", type=int, help="number of the PDU in a chain that the agent speaks for")
    read_one.add_argument("--json", action="store_true", help="as JSON")
    options = parser.parse_args(arguments)
    try:
        answer = asyncio.run(read(options.host, access_of(os.environ), port=options.port, unit=options.unit))
    except MeterError as error:
        print(f"Error: {options.host}: {error}", file=sys.stderr)
        return UNKNOWN_KIND if isinstance(error, NotKnown) else 1
    sys.stdout.write(as_json(answer) if options.json else as_text(answer))
    return 0


def access_of(environment: Any) -> Community | SnmpUser:
    """Version 3 where a user is named, else 2c."""
    if user := environment.get("RACKSIDE_SNMP_USER", ""):
        told = {
            name: environment.get(f"RACKSIDE_SNMP_{name.upper()}", "") for name in ("password", "privacy", "context")
        }
        return SnmpUser(user, **told, algorithm=environment.get("RACKSIDE_SNMP_ALGORITHM", "sha"))
    return Community(environment.get("RACKSIDE_SNMP_COMMUNITY", "public"))


async def read(host: str, access: Community | SnmpUser, *, port: int = PORT, unit: int | None = None) -> Answer:
    """Everything that a PDU measures. Raises MeterError; NotKnown for an agent that is no PDU, or tells nothing."""
    return await readers.read("snmp_pdu", host, port, access, {"unit": unit})


def as_json(answer: Answer) -> str:
    values = [value._asdict() for value in answer.values]
    told = {"description": answer.description, "vendor": answer.vendor, "values": values}
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def as_text(answer: Answer) -> str:
    """A line for each part, its values in their units."""
    lines = [f"{answer.vendor}: {answer.description}"]
    parts: dict[tuple[str, str], list[str]] = {}
    for part, name, quantity, value, reason in answer.values:
        word = quantity.rpartition("_")[0]
        limit = "limit " if "limit" in word else ""
        told = f"{limit}{value:g} {UNITS[quantity]}" if value is not None else f"{word} not known: {reason}"
        parts.setdefault((part, name), []).append(told)
    width = max(len(f"{part} {name}") for part, name in parts)
    lines += [f"  {f'{part} {name}':{width}}  {', '.join(told)}" for (part, name), told in parts.items()]
    return "\n".join(lines) + "\n"
