"""`manage.py hall_fault`: give a machine of the running hall a fault, take it away, or replace a part."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "Inject or clear a fault in the running virtual hall. Without a machine: list the faults there are."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("machine", nargs="?", help="Or a rack, feed, PDU, cooling unit, for what concerns those.")
        parser.add_argument("fault", nargs="?", default="")
        folder = os.environ.get("RACKSIDE_HALL_FOLDER")
        parser.add_argument(
            "--data",
            type=Path,
            default=folder,
            required=not folder,
            help="Folder of the hall's state (./rackside manage knows it).",
        )
        parser.add_argument("--slot", default="", help='Such as "GPU 4", "HCA mlx5_3", "PSU 2", "NVMe 1".')
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", help="A parameter of the fault."
        )
        parser.add_argument("--replace", metavar="SERIAL", help="Put a new part with this serial into the slot.")
        parser.add_argument("--clear", action="store_true", help="Take the fault away (all of them without a name).")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            access = json.loads((options["data"] / "control.json").read_text())
        except OSError as error:
            raise CommandError(f"no hall has run in {options['data']}: {error}") from error
        if not options["machine"]:
            for kind in _call(access, "GET", "/faults")["faults"]:
                about = kind.get("about") or kind["slot"] or "-"
                self.stdout.write(f"{kind['fault']:<22} {about:<7} {kind['title']}: {kind['shows']}")
            return
        if self._of_heat(access, options):
            return
        machine = f"/machines/{urllib.parse.quote(options['machine'])}"
        if options["replace"]:
            part = _call(access, "POST", f"{machine}/replace", {"slot": options["slot"], "serial": options["replace"]})
            self.stdout.write(f"{options['machine']}: {options['slot']} is now {part['serial']}")
            return
        path = f"{machine}/faults"
        if options["clear"]:
            query = urllib.parse.urlencode({"fault": options["fault"], "slot": options["slot"]})
            cleared = _call(access, "DELETE", f"{path}?{query}")["cleared"]
            words = [f"{fault['fault']} {fault['slot']}".strip() for fault in cleared]
            self.stdout.write(f"cleared: {', '.join(words) or 'nothing was there'}")
            return
        params = dict(_parameter(word) for word in options["set"])
        body = {"fault": options["fault"], "slot": options["slot"], "params": params}
        fault = _call(access, "POST", path, body)
        self.stdout.write(f"{options['machine']}: {fault['fault']} {fault['slot']}".rstrip())

    def _of_heat(self, access: dict[str, str], options: dict[str, Any]) -> bool:
        """Whether the fault is one of power and cooling, which is given or taken then."""
        name, target = options["fault"], options["machine"]
        kinds = {kind["fault"]: kind for kind in _call(access, "GET", "/faults")["faults"] if kind.get("about")}
        everything = options["clear"] and not name and kinds
        if name not in kinds and not everything:
            return False
        params = dict(_parameter(word) for word in options["set"])
        if options["slot"] and "supply" in kinds.get(name, {}).get("params", {}):
            params.setdefault("supply", options["slot"])
        if not options["clear"]:
            _call(access, "POST", "/heat/faults", {"fault": name, "target": target, "params": params})
            self.stdout.write(f"{target}: {name}")
            return True
        query = urllib.parse.urlencode({"fault": name, "target": target, "params": json.dumps(params)})
        cleared = _call(access, "DELETE", f"/heat/faults?{query}")["cleared"]
        machines = {machine["name"] for machine in _call(access, "GET", "/machines")["machines"]} if everything else ()
        if cleared or target not in machines:
            words = [f"{fault['fault']} {fault['target']}" for fault in cleared]
            self.stdout.write(f"cleared: {', '.join(words) or 'nothing was there'}")
        return target not in machines


def _parameter(word: str) -> tuple[str, Any]:
    name, equals, value = word.partition("=")
    if not equals:
        raise CommandError(f"--set {word}: write NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _call(access: dict[str, str], method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    request = urllib.request.Request(
        access["url"] + path,
        method=method,
        data=json.dumps(body).encode() if body is not None else None,
        headers={"Authorization": f"Bearer {access['token']}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise CommandError(json.load(error)["error"]) from error
    except OSError as error:
        raise CommandError(f"the hall does not answer at {access['url']}: {error}") from error
