"""Move in from a live NetBox."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import yaml
from django.core.management.base import BaseCommand, CommandError

from access.logins import Login, opened
from core.audit.actor import system_user
from core.models import Credential
from core.outgoing.binding import Purpose, Refused
from core.outgoing.permits import permit
from inventory.kinds import Scope
from inventory.models import NetBoxRun
from inventory.netbox.findings import SORTS, Finding, as_csv
from inventory.netbox.options import Options, OptionsError
from inventory.netbox.run import ImportFailed, Running, execute, start, unfinished
from inventory.netbox.source import Address


class Command(BaseCommand):
    help = "Import sites, racks, devices, cables and power from a NetBox 4; see docs/netbox.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--url", required=True, help="such as https://netbox.example.org")
        parser.add_argument("--token-env", metavar="NAME", help="environment variable that holds the API token")
        parser.add_argument("--credential", metavar="NAME", help="stored credential that holds it (set_credential)")
        parser.add_argument("--site", action="append", default=[], help="slug in NetBox; may be given several times")
        parser.add_argument("--options", type=Path, help="YAML file with roles, rows_from and the like")
        parser.add_argument("--dry-run", action="store_true", help="say what would change, write nothing")
        parser.add_argument("--resume", action="store_true", help="continue the import that broke off")
        parser.add_argument("--take-theirs", action="store_true", help="NetBox goes before what was changed here")
        parser.add_argument("--report", type=Path, help="write what stays behind to this .csv or .json file")
        parser.add_argument("--page-size", type=int, default=500)
        parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS")
        parser.add_argument("--ca-file", help="PEM file of the authority that signed NetBox's certificate")
        parser.add_argument("--no-verify", action="store_true", help="take any certificate")

    def handle(self, *args: Any, **given: Any) -> None:
        login = _login(given["url"], given["token_env"], given["credential"])
        address = Address(
            given["url"], login.secret, gate=login.gate, ca_file=given["ca_file"],
            verify=not given["no_verify"], timeout_s=given["timeout"], page_size=given["page_size"],
        )  # fmt: skip
        run = _run(given)
        try:
            findings = execute(
                run, address, Scope.everything(), actor=system_user(), progress=_progress(self.stderr)
            )  # fmt: skip
        except ImportFailed as error:
            raise CommandError(f"{error}\nwhat was read and written is kept; continue with --resume") from error
        self._tell(run, findings, given["report"])

    def _tell(self, run: NetBoxRun, findings: list[Finding], report: Path | None) -> None:
        for step, counts in run.steps["written"].items():
            said = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
            self.stdout.write(f"  {step:16} {said or 'none'}")
        for sort, why in SORTS.items():
            number = sum(finding.sort == sort for finding in findings)
            if number:
                self.stdout.write(f"  {number:6} {sort}: {why}")
        if report:
            text = as_csv(findings) if report.suffix == ".csv" else json.dumps(run.findings, indent=1)
            report.write_text(text, encoding="utf-8")
            self.stdout.write(f"  every one of them is in {report}")
        self.stdout.write(f"NetBox {run.version}: " + ("nothing was written (dry run)" if run.dry_run else "done"))


def _run(given: dict[str, Any]) -> NetBoxRun:
    """A new run, or the one that broke off. Raises CommandError."""
    if given["resume"]:
        run = unfinished(given["url"])
        if run is None:
            raise CommandError(f"no import from {given['url']} broke off")
        return run
    try:
        options = Options.read(_options(given))
    except OptionsError as error:
        raise CommandError(str(error)) from error
    try:
        return start(given["url"], options, dry_run=given["dry_run"], by=system_user())
    except Running as error:
        raise CommandError(str(error)) from error


def _options(given: dict[str, Any]) -> dict[str, Any]:
    data: Any = {}
    if given["options"]:
        try:
            data = yaml.safe_load(given["options"].read_text(encoding="utf-8")) or {}
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise CommandError(f"{given['options']}: {error}") from error
        if not isinstance(data, dict):
            raise CommandError(f"{given['options']}: a mapping of options, such as rows_from: location")
    if given["site"]:
        data["sites"] = given["site"]
    if given["take_theirs"]:
        data["on_conflict"] = "take-theirs"
    return dict(data)


def _login(url: str, variable: str | None, credential: str | None) -> Login:
    """The API token for this address. It is never an argument: those are seen by everybody on the machine."""
    if (variable is None) == (credential is None):
        raise CommandError("give the token by --token-env NAME or by --credential NAME")
    if variable is not None:
        token = os.environ.get(variable, "")
        if not token:
            raise CommandError(f"the environment variable {variable} is empty")
    try:
        if variable is not None:
            return Login("", token, permit(None, None, url, site=None))
        return opened(Credential.objects.get(name=credential), Purpose.NETBOX, site=None).at(url)
    except Credential.DoesNotExist:
        raise CommandError(f"there is no credential {credential}; store it with set_credential") from None
    except Refused as error:
        raise CommandError(str(error)) from None


def _progress(stderr: Any) -> Any:
    """One line that is written over on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        return lambda stage, done, total: None
    return lambda stage, done, total: stderr.write(f"\r\x1b[K{stage} {done}/{total}", ending="")
