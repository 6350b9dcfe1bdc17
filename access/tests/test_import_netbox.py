"""`manage.py import_netbox`: the token's way in, the dry run, continuing, and the report as a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from core.models import Site
from core.services import set_credential
from inventory.models import Device, NetBoxRun
from inventory.netbox.tests.fake_netbox import NEW_TOKEN, OLD_TOKEN, FakeNetBox
from inventory.netbox.tests.small_site import small_site

pytestmark = pytest.mark.django_db


@pytest.fixture
def netbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeNetBox]:
    monkeypatch.setenv("NETBOX_TOKEN", OLD_TOKEN)
    with FakeNetBox() as server:
        small_site(server)
        yield server


def command(netbox: FakeNetBox, *words: str, token: tuple[str, ...] = ("--token-env", "NETBOX_TOKEN")) -> str:
    out = StringIO()
    call_command("import_netbox", "--url", netbox.url, *token, *words, stdout=out)
    return out.getvalue()


@pytest.mark.slow
def test_an_import_tells_what_it_made_and_writes_the_rest_to_a_file(netbox: FakeNetBox, tmp_path: Path) -> None:
    report = tmp_path / "left.csv"
    told = command(netbox, "--report", str(report))
    assert "devices          11 created" in told and told.endswith("NetBox 4.6.8: done\n")
    rows = list(csv.DictReader(report.read_text().splitlines()))
    assert [row["why"] for row in rows if row["name"] == "BAD"] == [
        "cables: a cable cannot join ethernet and infiniband"
    ]
    again = tmp_path / "left.json"
    command(netbox, "--report", str(again))
    assert len(json.loads(again.read_text())) == len(rows)


@pytest.mark.slow
def test_a_dry_run_writes_nothing(netbox: FakeNetBox) -> None:
    assert "nothing was written (dry run)" in command(netbox, "--dry-run", "--site", "north_1")
    assert Site.objects.count() == 0


def test_a_stored_credential_holds_the_token(netbox: FakeNetBox) -> None:
    set_credential("netbox", kind="password", username="api", secret=NEW_TOKEN, purpose="netbox", hosts=["127.0.0.1"])
    assert "done" in command(netbox, token=("--credential", "netbox"))


@pytest.mark.slow
def test_an_import_that_broke_off_is_continued_with_its_own_options(netbox: FakeNetBox) -> None:
    netbox.fault("dcim/cables", "400")
    with pytest.raises(
        CommandError, match=r"answered 400.*\nwhat was read and written is kept; continue with --resume"
    ):
        command(netbox, "--site", "north_1")
    assert "done" in command(netbox, "--resume")
    run = NetBoxRun.objects.get()
    assert run.options["sites"] == ["north_1"] and Device.objects.count() == 12
    with pytest.raises(CommandError, match="broke off"):
        command(netbox, "--resume")


@pytest.mark.slow
def test_options_come_from_a_file(netbox: FakeNetBox, tmp_path: Path) -> None:
    options = tmp_path / "options.yaml"
    options.write_text("roles: {gpu-server: machine}\nmachine_roles: {gpu-server: train}\ncable_label: C{id}\n")
    command(netbox, "--options", str(options))
    assert Device.objects.get(name="gpu-1").machine.role == "train"
    assert Device.objects.filter(ports__strand_ends__connector__cable__label="C9").exists()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("roles: {gpu: robot}", "roles.gpu"),
        ("colour: red", "colour"),
        ("cable_label: plain", r"cable_label: give at most 30 letters with \{id\}"),
        ("- a", "a mapping of options"),
        ("a: [", "expected"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_asked(
    netbox: FakeNetBox, tmp_path: Path, text: str, reason: str
) -> None:
    options = tmp_path / "options.yaml"
    options.write_text(text)
    with pytest.raises(CommandError, match=reason):
        command(netbox, "--options", str(options))
    assert netbox.requests == []


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        ((), "give the token by"),
        (("--token-env", "NOT_SET"), "NOT_SET is empty"),
        (("--credential", "none"), "there is no credential none"),
        (("--token-env", "NETBOX_TOKEN", "--credential", "x"), "give the token by"),
    ],
)
def test_a_missing_token_is_told(netbox: FakeNetBox, token: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        command(netbox, token=token)


def test_the_token_is_kept_nowhere(netbox: FakeNetBox) -> None:
    netbox.fault("dcim/cables", "400")
    with pytest.raises(CommandError) as caught:
        command(netbox)
    kept = json.dumps(list(NetBoxRun.objects.values()), default=str) + str(caught.value)
    assert OLD_TOKEN not in kept
