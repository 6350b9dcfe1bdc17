"""The rules of BMC set-up, without a BMC: which password is in force, what differs, and how an update goes on."""

from __future__ import annotations

from typing import Any

import pytest

from provisioning.bmc import passwords
from provisioning.bmc.comparison import (
    BadProfile,
    Baseline,
    Component,
    Setting,
    firmware_beside,
    profile_from,
    settings_beside,
)
from provisioning.bmc.passwords import Answer, Verdict, generate, verdict, why_not
from provisioning.bmc.updates import GONE_S, STILL_S, Broken, Going, Written, follow

GONE = "the BMC does not know the task any more: waiting for its firmware"
YES, NO, SILENT, UNTRIED = Answer.ACCEPTED, Answer.REFUSED, Answer.SILENT, Answer.UNTRIED


def test_a_generated_password_has_every_class_and_nothing_that_a_bmc_or_a_file_trips_over() -> None:
    made = {generate() for _ in range(200)}
    assert len(made) == 200
    for each in made:
        assert len(each) == 16 and each[0].isalpha()
        for letters in (passwords.LETTERS, passwords.CAPITALS, passwords.DIGITS, passwords.SIGNS):
            assert set(each) & set(letters)
        assert not set(each) & set("0O1lI,;\"'\\ /@:")


@pytest.mark.parametrize(
    ("account", "told"),
    [
        ((0, 0, 0), ""), ((8, 20, 5), ""), ((8, 16, 3), ""),
        ((20, 64, 5), "not of 16"), ((8, 12, 5), "8 to 12 characters"), ((8, 20, 2), "locks the account after 2"),
    ],
)  # fmt: skip
def test_an_account_that_does_not_take_it_or_locks_too_soon_is_left_alone(account: Any, told: str) -> None:
    assert told in why_not(*account) and bool(told) == bool(why_not(*account))


@pytest.mark.parametrize(
    ("new", "old", "written", "rounds", "said"),
    [
        (YES, UNTRIED, True, 0, Verdict.NEW),
        (NO, YES, False, 0, Verdict.OLD),
        (NO, YES, True, 0, Verdict.UNKNOWN),  # it may need a moment for the change
        (NO, YES, True, 1, Verdict.OLD),
        (NO, NO, True, 0, Verdict.NEITHER),
        (UNTRIED, NO, False, 0, Verdict.NEITHER),
        (SILENT, UNTRIED, True, 2, Verdict.UNKNOWN),
        (NO, SILENT, True, 2, Verdict.UNKNOWN),
        (SILENT, NO, True, 2, Verdict.UNKNOWN),  # the new one may be it
    ],
)
def test_which_password_is_in_force_is_said_only_where_it_is_proven(
    new: Answer, old: Answer, written: bool, rounds: int, said: Verdict
) -> None:
    assert verdict(new, old, written=written, rounds=rounds) is said


def test_settings_are_the_same_where_their_meaning_is() -> None:
    wanted = [
        Setting("bios", "A", "Enabled"), Setting("bios", "B", 60), Setting("bios", "C", "On"),
        Setting("bios", "X", "1"),
        Setting("ntp", "NTPServers", ["10.0.0.2", "10.0.0.1"]), Setting("ntp", "ProtocolEnabled", True),
        Setting("system", "BootOrder", ["Boot0001"]), Setting("system", "PowerRestorePolicy", "AlwaysOn"),
    ]  # fmt: skip
    found: dict[str, dict[str, Any]] = {
        "bios": {"A": "Disabled", "B": "60", "C": "Off"},
        "ntp": {"NTPServers": ["10.0.0.1", "10.0.0.2", ""], "ProtocolEnabled": "true"},
        "system": {"BootOrder": ["Boot0001", "Boot0000"], "PowerRestorePolicy": None},
    }
    rows = settings_beside(wanted, found, {"bios": {"A": "Enabled"}})
    assert [(row.name, row.comparison.value) for row in rows] == [
        ("A", "pending"), ("C", "differs"), ("X", "missing"), ("ProtocolEnabled", "differs"),
        ("PowerRestorePolicy", "differs"),
    ]  # fmt: skip
    assert settings_beside([Setting("system", "BootOrder", ["Boot0000", "Boot0001"])], found, {})[0].name == "BootOrder"


def test_firmware_is_found_by_id_or_name_and_what_is_not_there_is_no_match() -> None:
    found = [
        Component("Installed-159-1.7.6__BIOS.Setup.1-1", "BIOS", "1.7.6"),
        Component("n1", "ConnectX-7 - mlx5_0", "28.39.2048"), Component("n2", "ConnectX-7 - mlx5_1", "28.43.1014"),
    ]  # fmt: skip
    wanted = [
        Baseline("*bios*", "2.4.4"), Baseline("connectx-7*", "28.43.1014"), Baseline("N2", "28.43.1014"),
        Baseline("*CPLD*", "1.1"),
    ]  # fmt: skip
    rows = firmware_beside(wanted, found)
    assert [(row.wanted.component, [each.id[:2] for each in row.found], row.comparison.value) for row in rows] == [
        ("*bios*", ["In"], "differs"), ("connectx-7*", ["n1"], "differs"), ("*CPLD*", [], "missing"),
    ]  # fmt: skip


def test_a_profile_names_every_row_that_is_wrong() -> None:
    settings: list[dict[str, Any]] = [
        {"area": "bios", "name": "A", "value": "x"}, {"area": "bios", "name": "A", "value": "y"},
        {"area": "ntp", "name": "NTPServers", "value": "10.0.0.1"}, {"area": "system", "name": "Colour", "value": 1},
        {"area": "ntp", "name": "ProtocolEnabled", "value": "yes"}, {"area": "bmc", "name": "B", "value": {"a": 1}},
    ]  # fmt: skip
    firmware = [
        {"component": "BIOS", "version": "1", "image": "https://files.example/a.bin"},
        {"component": "BMC", "version": "1", "image": "../../etc/passwd"},
        {"component": "CPLD", "version": "1", "image": "ftp://files.example/a"},
    ]
    with pytest.raises(BadProfile) as told:
        profile_from(settings, firmware)
    assert [place for place, _ in told.value.problems] == [
        "settings row 2 (A)", "settings row 3 (NTPServers)", "settings row 4 (Colour)",
        "settings row 5 (ProtocolEnabled)", "settings row 6 (B)", "firmware row 2 (BMC)", "firmware row 3 (CPLD)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "percent", "in_force", "still_s", "starts", "came"),
    [
        ("Running", 40, False, 60, False, Going("40 % written")),
        ("Running", None, False, 60, False, Going("running")),
        ("Completed", 100, False, 0, False, Written(in_force=False)),
        ("Running", 99, True, 5, False, Written(in_force=True)),  # the inventory tells it already
        ("Running", 99, False, STILL_S, False, Broken("the update hangs at 99 %: no progress for 15 minutes")),
        ("Exception", 50, False, 0, False, Broken("no space")),
        (None, None, True, 0, False, Written(in_force=True)),
        (None, None, False, GONE_S - 1, False, Going(GONE)),
        (None, None, False, GONE_S, True, Written(in_force=False)),  # the start of the machine will tell
    ],
)  # fmt: skip
def test_an_update_is_what_its_task_and_the_inventory_say_together(
    state: str | None, percent: int | None, in_force: bool, still_s: float, starts: bool, came: Any
) -> None:
    assert follow(state, percent, "no space", in_force=in_force, still_s=still_s, starts=starts) == came


def test_a_task_that_is_gone_with_the_old_version_has_failed() -> None:
    assert isinstance(follow(None, None, "", in_force=False, still_s=GONE_S), Broken)
