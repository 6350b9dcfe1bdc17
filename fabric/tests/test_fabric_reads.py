"""Reading a source: what is run where, what each kind of failure becomes, what is pinned."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.models import Site
from core.services import bind_credential, set_credential
from drivers.https import Unreachable
from drivers.ssh import SshFailure, SshFailureKind, SshResult, SshTarget
from drivers.ufm import UfmClient
from fabric.discovery.services import ibdiags, lldp, switches, ufm, ufm_reads
from fabric.discovery.services.addresses import PURPOSES
from fabric.discovery.services.readers import Part, SourceUnreadable, parse, read_source
from fabric.facts import Completeness
from fabric.models import FabricSource
from fabric.quality.services import events, measurements

pytestmark = pytest.mark.django_db
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExample"


@pytest.fixture
def source() -> FabricSource:
    site = Site.objects.create(slug="west", name="West")
    login = set_credential(
        "fabric", kind="password", username="admin", secret="s3cret", purpose="ssh", hosts=["10.0.0.0/8"]
    )
    return FabricSource.objects.create(
        site=site, name="diags", kind="ibdiags", address="10.0.0.1:2222", credential=login
    )


def become(source: FabricSource, kind: str, **fields: Any) -> None:
    """Another kind of source, with its credential bound to what that kind calls."""
    source.kind = kind
    for name, value in fields.items():
        setattr(source, name, value)
    bind_credential("fabric", purpose=PURPOSES[kind], hosts=["10.0.0.0/8", "ufm.example"])


def answers(monkeypatch: pytest.MonkeyPatch, *results: dict[str, Any]) -> list[str]:
    """Let the machine answer so; returns the commands it is given."""
    commands: list[str] = []
    waiting = list(results)

    async def run_one(target: SshTarget, script: str, limits: Any) -> SshResult:
        assert (target.address, target.port, target.username) == ("10.0.0.1", 2222, "admin")
        commands.append(script)
        return SshResult(target, **{"failure": None, "exit_status": 0, **waiting.pop(0)})

    monkeypatch.setattr(ibdiags, "run_one", run_one)
    return commands


def test_each_tool_runs_once_under_a_time_limit_of_its_own(
    source: FabricSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.options = {"timeout_s": 30, "sudo": True, "ca": "mlx5_0", "port": 1}
    commands = answers(monkeypatch, {"stdout": b"a"}, {"stdout": b"b"}, {"stdout": b"c", "exit_status": 1})
    found = read_source(source)
    assert commands == [
        "sudo -n timeout -k 5 30 ibnetdiscover -C mlx5_0 -P 1",
        "sudo -n timeout -k 5 30 iblinkinfo -l -C mlx5_0 -P 1",
        "sudo -n timeout -k 5 30 ibqueryerrors --data --threshold-file /dev/null -C mlx5_0 -P 1",
    ]
    assert [(part.format, part.text, part.problem) for part in found.parts] == [
        ("ibnetdiscover", "a", ""), ("iblinkinfo", "b", ""), ("ibqueryerrors", "c", ""),
    ]  # fmt: skip


def test_a_tool_that_hangs_or_fails_leaves_the_others_and_says_why(
    source: FabricSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(
        monkeypatch,
        {"stdout": b"a"},
        {"exit_status": 124},
        {"exit_status": 2, "stderr": b"noise\nibwarn: cannot open port\n"},
    )
    found = read_source(source)
    assert [part.problem for part in found.parts] == [
        "", "did not end in time and was stopped", "exit 2: ibwarn: cannot open port",
    ]  # fmt: skip


def test_a_machine_that_cannot_be_reached_is_said_at_once(
    source: FabricSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = SshFailure(SshFailureKind.REFUSED, "port 2222 refuses connections")
    commands = answers(monkeypatch, {"failure": refused})
    with pytest.raises(SourceUnreadable, match="refuses connections"):
        read_source(source)
    assert len(commands) == 1


def test_the_host_key_of_a_first_contact_is_kept(source: FabricSource, monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, *({"stdout": b"x", "presented_key": KEY} for _ in range(3)))
    assert read_source(source).identity == KEY


@pytest.mark.parametrize(
    "options",
    [
        {"commands": ["rm"]}, {"commands": []}, {"commands": "ibnetdiscover"}, {"timeout_s": 0}, {"timeout_s": "1"},
        {"timeout_s": 10**6}, {"ca": "mlx5_0; reboot"}, {"port": 0}, {"port": True},
    ],
)  # fmt: skip
def test_options_cannot_run_anything_else(
    source: FabricSource, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    source.options = options
    commands = answers(monkeypatch)
    with pytest.raises(SourceUnreadable, match="option"):
        read_source(source)
    assert commands == []


def test_a_source_of_files_is_not_read(source: FabricSource) -> None:
    source.kind = "file"
    with pytest.raises(SourceUnreadable, match="uploaded"):
        read_source(source)


# ---- UFM ----


def test_a_ufm_that_answers_with_nothing_is_no_data(source: FabricSource, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(client: Any) -> tuple[dict[str, Any], str]:
        return {"systems": None, "ports": None, "links": None}, "ab" * 32

    become(source, "ufm", address="https://ufm.example")
    monkeypatch.setattr(ufm_reads, "_capture", nothing)
    found = read_source(source)
    assert parse(found.parts).wiring is Completeness.EMPTY and found.identity == "ab" * 32


def test_a_ufm_that_cannot_be_reached_is_said(source: FabricSource, monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(client: Any) -> None:
        raise Unreachable("no answer in time")

    become(source, "ufm", address="ufm.example")
    monkeypatch.setattr(ufm_reads, "_capture", silent)
    with pytest.raises(SourceUnreadable, match="no answer in time"):
        read_source(source)


def test_events_and_counters_of_one_link_are_asked_for_with_a_login_read_before_the_connection_opens(
    source: FabricSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The credential comes from the database, which refuses to be asked while an event loop runs."""

    async def entered(client: UfmClient) -> UfmClient:
        assert client.sign_in.secret == "s3cret"
        raise Unreachable("nobody there")

    monkeypatch.setattr(UfmClient, "__aenter__", entered)
    become(source, "ufm", address="ufm.example")
    for ask in (lambda: events.fetch(source), lambda: measurements.read_ports(source, [])):
        with pytest.raises(SourceUnreadable, match="nobody there"):
            ask()


def test_a_ufm_signs_in_as_its_options_say(source: FabricSource) -> None:
    become(source, "ufm", address="ufm.example")
    for way in ufm.SIGN_INS:
        source.options = {"sign_in": way}
        assert ufm.client_of(source).sign_in.secret == "s3cret"
    for wrong in ({"sign_in": "magic"}, {"timeout_s": -1}):
        source.options = wrong
        with pytest.raises(SourceUnreadable):
            ufm.client_of(source)
    source.options, source.identity = {}, "not hex"
    with pytest.raises(SourceUnreadable, match="SHA-256"):
        ufm.client_of(source)


# ---- Ethernet ----


def test_one_switch_that_is_silent_makes_the_look_partial_and_pins_the_others(
    source: FabricSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def one(kind: str, address: str, login: Any, pin: str, **_: Any) -> switches.Answer:
        if address == "10.0.0.9":
            raise Unreachable("no route")
        return address, {"switch": address, "mac": "001c.7300.1122", "neighbors": {}}, pin or "cd" * 32

    become(source, "eapi", options={"switches": ["10.0.0.8", "10.0.0.9"]})
    monkeypatch.setattr(switches, "_one", one)
    found = read_source(source)
    assert [(part.name, part.problem) for part in found.parts] == [("neighbours", ""), ("10.0.0.9", "no route")]
    assert found.identity == f"10.0.0.8 {'cd' * 32}"
    source.identity = found.identity
    assert switches.pinned(source.identity) == {"10.0.0.8": "cd" * 32}
    source.options = {"switches": ["10.0.0.9"]}
    with pytest.raises(SourceUnreadable, match="no route"):
        read_source(source)


@pytest.mark.parametrize(("silent", "parts"), [(1, 1), (2, 2)])
def test_few_silent_machines_are_borne_and_many_make_the_look_partial(
    source: FabricSource, monkeypatch: pytest.MonkeyPatch, silent: int, parts: int
) -> None:
    names = [f"gpu-{n}" for n in range(20)]

    async def everyone(targets: Any, timeout_s: float) -> list[SshResult]:
        return [
            SshResult(target, None, 0, json.dumps({"lldp": []}).encode())
            if number >= silent
            else SshResult(target, SshFailure(SshFailureKind.TIMEOUT, "no answer"))
            for number, target in enumerate(targets)
        ]

    source.kind = "lldp"
    monkeypatch.setattr(lldp, "machines", lambda site_id: list(range(20)))
    monkeypatch.setattr(lldp, "ssh_targets", lambda ids: [SshTarget("", 22, "", "", name=name) for name in names])
    monkeypatch.setattr(lldp, "_all", everyone)
    found = read_source(source)
    assert len(found.parts) == parts and len(json.loads(found.parts[0].text)) == 20 - silent


def test_a_part_without_text_is_told_as_no_data() -> None:
    look = parse([Part("ibnetdiscover", "ibnetdiscover", "  \n")])
    assert look.wiring is Completeness.EMPTY and look.problems[0].text == "printed nothing: no data"
