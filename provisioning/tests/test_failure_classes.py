"""Why a machine failed, from what its BMC, its installer and its checks show."""

from __future__ import annotations

import subprocess
import threading
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from health.checks import catalogue
from provisioning.boot import files
from provisioning.failures import bmc, checks, installer
from provisioning.failures.owners import OWNERS
from provisioning.steps import FailureClass

F = FailureClass
MAC = "aa:bb:cc:00:00:01"
UP = {"Id": "NIC.1", "MACAddress": MAC.upper(), "LinkStatus": "LinkUp"}
DOWN = UP | {"LinkStatus": "LinkDown"}
OTHER = {"Id": "NIC.2", "MACAddress": "AA:BB:CC:00:00:02", "LinkStatus": "LinkUp"}
ON = {"PowerState": "On"}


def test_every_class_belongs_to_somebody() -> None:
    assert set(OWNERS) == set(FailureClass)


@pytest.mark.parametrize(
    ("system", "interfaces", "found"),
    [
        ({"PowerState": "Off"}, [DOWN], F.NO_POWER),
        (ON | {"BootProgress": {"LastState": "MemoryInitializationStarted"}}, [UP], F.NO_POST),
        (ON | {"BootProgress": {"LastState": "OSBootStarted"}}, [UP], None),
        (ON | {"BootProgress": None}, [UP], None),
        (ON, [DOWN], F.NO_LINK),
        (ON, [DOWN, OTHER], F.WRONG_PORT),
        (ON, [DOWN, OTHER | {"LinkStatus": None}], F.NO_LINK),
        (ON, [OTHER | {"LinkStatus": "LinkDown"}], None),
        (ON, [], None),
        ({}, [], None),
    ],
)
def test_the_most_basic_cause_that_the_bmc_shows_is_the_class(
    system: dict[str, Any], interfaces: list[dict[str, Any]], found: FailureClass | None
) -> None:
    cause = bmc.cause_of_silence(system, interfaces, [], MAC)
    assert (cause and cause[0]) == found


def test_a_machine_without_power_names_its_bad_supplies() -> None:
    good = {"Name": "PS1", "Status": {"Health": "OK", "State": "Enabled"}}
    bad = {"Name": "PS2", "Status": {"Health": "Critical", "State": "UnavailableOffline"}}
    cause = bmc.cause_of_silence({"PowerState": "Off"}, [], [good, bad], MAC)
    assert cause and "PS2 is UnavailableOffline, health Critical" in cause[1] and "PS1" not in cause[1]
    assert "Power: Off" in bmc.words({"PowerState": "Off"}, [UP], [good, bad], [{"Created": "t", "Message": "lost"}])


@pytest.mark.parametrize(
    ("names", "log", "found"),
    [
        (["subiquity/Install/install/curtin_install/run_curtin_step/cmd-install/stage-partitioning/builtin/cmd-block-meta"],
         "", F.INSTALL_DISK),
        (["subiquity/Install/install/configure_apt", installer.WHOLE], "", F.INSTALL_PACKAGE),
        (["subiquity/Network/apply_autoinstall_config"], "", F.INSTALL_NETWORK),
        (["subiquity/Install/install/configure_apt"], "E: Failed to fetch x  Temporary failure resolving 'm'",
         F.INSTALL_NETWORK),
        ([installer.WHOLE], "E: Unable to locate package nvidia", F.INSTALL_PACKAGE),
        ([installer.WHOLE], "sgdisk: could not open", F.INSTALL_DISK),
        ([installer.WHOLE], "", F.INSTALL_FAILED),
        ([], "", F.INSTALL_FAILED),
    ],
)  # fmt: skip
def test_what_the_installer_failed_at_is_told_apart(names: list[str], log: str, found: FailureClass) -> None:
    assert installer.class_of(names, log) is found


@given(st.dictionaries(st.sampled_from(["name", "description", "event_type", "result", "x"]), st.one_of(
    st.none(), st.text(), st.integers(), st.sampled_from(["start", "finish", "FAIL", "SUCCESS"]))))  # fmt: skip
def test_any_body_is_an_event_or_none(body: dict[str, Any]) -> None:
    said = installer.report_of(body)
    assert said is None or (said.name and len(said.description) <= installer.TEXT_LENGTH)


def test_keys_and_tokens_of_a_log_are_not_kept() -> None:
    log = (
        "fetching http://r/boot/0123456789abcdefghijKLMN/user-data\n"
        "-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n-----END OPENSSH PRIVATE KEY-----\nend\n"
        "-----BEGIN RSA PRIVATE KEY-----\ncut"
    )
    assert installer.hidden(log) == "fetching http://r/boot/…/user-data\n(private key)\nend\n(private key)"


def test_the_last_line_that_says_what_is_wrong_is_the_text() -> None:
    assert installer.last_words("start\nE: Failed to fetch x\nbye") == "E: Failed to fetch x"
    assert installer.last_words("a\nb\n") == "b" and installer.last_words("") == ""


@pytest.mark.parametrize(
    ("failing", "found"),
    [
        (["gpu.count", "gpu.ecc"], F.PART_MISSING),
        (["nvme.count"], F.DRIVE_FAILED),
        (["gpu.pcie", "clock.offset"], F.PCIE_NARROW),
        (["clock.offset"], F.CLOCK_WRONG),
        (["clock.offset", "gpu.ecc"], F.CHECKS_FAILED),
        ([], F.CHECKS_FAILED),
    ],
)
def test_a_missing_part_leads_and_a_wrong_clock_explains_nothing_else(failing: list[str], found: FailureClass) -> None:
    rows = [{"check": check, "part": "x", "verdict": "fail", "message": "m"} for check in failing]
    passed = {"check": "nvme.count", "part": "machine", "verdict": "pass", "message": ""}
    assert checks.class_of([*rows, passed]) is found
    assert checks.words([*rows, passed]).count("\n") == max(0, len(rows) - 1)


def test_a_machine_that_was_swapped_for_another_is_that_and_nothing_else() -> None:
    tag = {"check": "system.firmware", "part": "machine", "verdict": "fail"}
    other = tag | {"message": "service tag ZZZ9999, the inventory has 4GMPN72"}
    gone = {"check": "gpu.count", "part": "machine", "verdict": "fail", "message": "7 of 8 GPUs"}
    assert checks.class_of([gone, other]) is F.WRONG_IDENTITY
    assert checks.class_of([tag | {"message": "BIOS 2.1.0, the model has 2.3.6"}]) is F.CHECKS_FAILED
    assert "system.firmware" in {each.id for each in catalogue()}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("curl: (60) SSL certificate problem: certificate is not yet valid", F.CLOCK_WRONG),
        ("SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired", F.CLOCK_WRONG),
        ("E: Release file for http://mirror/ubuntu/dists/jammy/InRelease is not valid yet (invalid for another 2y 3d)",
         F.CLOCK_WRONG),
        ("SSL certificate problem: unable to get local issuer certificate\nE: Failed to fetch x", F.INSTALL_PACKAGE),
    ],
)  # fmt: skip
def test_a_clock_that_is_years_off_is_named_and_not_what_it_breaks(line: str, found: FailureClass) -> None:
    assert installer.class_of(["subiquity/Install/install/configure_apt"], line) is found


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("2019-01-01T00:00:12+00:00", True),
        ("1970-01-01T00:03:00Z", True),
        ("2026-11-28T05:00:00-08:00", False),
        ("2026-11-28T20:00:00", False),
        ("", False),
        ("yesterday", False),
    ],
)
def test_the_clock_of_a_bmc_is_wrong_by_more_than_a_time_zone(told: str, wrong: bool) -> None:
    now = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)
    assert bool(bmc.wrong_clock({"DateTime": told}, now)) is wrong
    assert not bmc.wrong_clock({}, now)


def test_supplies_that_have_no_input_are_told_from_supplies_that_are_broken() -> None:
    dark = {"Name": "PS1", "LineInputStatus": "LossOfInput", "Status": {"Health": "Critical"}}
    older = {"Name": "PS2", "LineInputVoltage": 0, "Status": {"Health": "Critical"}}
    broken = {"Name": "PS2", "LineInputStatus": "Normal", "Status": {"Health": "Critical", "State": "Enabled"}}

    def said(*supplies: dict[str, Any]) -> str:
        cause = bmc.cause_of_silence({"PowerState": "Off"}, [], supplies, MAC)
        return cause[1] if cause else ""

    assert "feed or its cords" in said(dark, older)
    assert "feed" not in said(dark, broken) and "PS2 is Enabled, health Critical" in said(dark, broken)
    assert not bmc.input_lost([]) and not bmc.input_lost([{"Name": "PS1"}]), "what is not told is not lost"


def test_every_check_with_a_class_exists() -> None:
    assert set(checks.CLASSES) <= {each.id for each in catalogue()}


def test_the_command_that_sends_the_log_sends_the_ends_of_both(tmp_path: Path) -> None:
    got: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    (tmp_path / "curtin-install.log").write_text("x" * 40_000 + "\nE: Unable to locate package\n")
    (tmp_path / "subiquity-server-debug.log").write_text("the server's own\n")
    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.handle_request, daemon=True).start()
    command = files.send_log(f"http://127.0.0.1:{server.server_port}/boot/t/log", str(tmp_path))
    subprocess.run(["sh", "-c", command], check=True, timeout=20)
    server.server_close()
    assert got[0].startswith(b"the server's own\n") and got[0].endswith(b"E: Unable to locate package\n")
    assert len(got[0]) <= 2 * files.LOG_BYTES
