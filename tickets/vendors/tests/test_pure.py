"""The pure parts of vendor cases: states, letters, the scrubber, manifests, what to order."""

from __future__ import annotations

import io
import json
import math
import random
import string
import zipfile
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tickets.vendors import letters, manifest, reorder, scrub, states
from tickets.vendors.letters import FORMS, Facts
from tickets.vendors.states import Event, State, Vendor

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


# ---- states ----


def test_a_case_goes_from_draft_to_closed_and_skips_nothing_that_owes_a_part() -> None:
    state: str = State.DRAFT
    for event in (Event.SEND, Event.ACCEPT, Event.SHIP, Event.ARRIVE, Event.RETURN, Event.CLOSE):
        state = states.next_state(state, event)
    assert state == State.CLOSED


@pytest.mark.parametrize("state", list(State))
@pytest.mark.parametrize("event", list(Event))
def test_what_the_table_does_not_list_is_refused(state: State, event: Event) -> None:
    if event in states.TABLE[state]:
        assert states.next_state(state, event) is states.TABLE[state][event]
    else:
        with pytest.raises(states.NotAllowed):
            states.next_state(state, event)


def test_every_state_can_be_reached_and_left() -> None:
    reached = {after for row in states.TABLE.values() for after in row.values()}
    assert reached == set(State) - {State.DRAFT}
    assert [state for state, row in states.TABLE.items() if not row] == [State.CLOSED]
    assert all(Event.CLOSE in row for state, row in states.TABLE.items() if state is not State.CLOSED)


def test_dell_is_asked_again_three_times_and_then_a_new_case_is_made() -> None:
    assert states.next_state("denied", Event.ASK_AGAIN, vendor="dell", denials=3) is State.SENT
    with pytest.raises(states.NotAllowed, match="new case"):
        states.next_state("denied", Event.ASK_AGAIN, vendor="dell", denials=4)
    assert states.allowed("denied", vendor="dell", denials=4) == ["close"]
    assert states.allowed("denied", vendor="hpe", denials=9) == ["ask_again", "close"]


def test_a_part_is_overdue_from_the_day_after_it_was_due_until_it_went_back() -> None:
    due = states.return_due(date(2026, 3, 1), 10)
    assert states.days_overdue("arrived", due, date(2026, 3, 11)) == 0
    assert states.days_overdue("shipped", due, date(2026, 3, 12)) == 1
    assert states.days_overdue("returned", due, date(2026, 4, 12)) == 0
    assert states.days_overdue("arrived", due, date(2026, 4, 12), owed=False) == 0


# ---- letters ----

WHOLE = Facts(
    key="REP-2041",
    service_tag="7XK2Q34",
    product_number="P54321-B21",
    model="PowerEdge XE9680",
    part="SXM 5 (GPU 4)",
    part_number="0R4WJK",
    serial="CN0R4WJK",
    symptom="GPU fell off the bus (Xid 79) twice.\nIt is back after a power drain for 20 minutes.",
    contact="Olga, +31 20 1234567, olga@example.org",
    firmware={"BIOS": "2.5.4", "iDRAC": "7.10.30"},
    evidence=[f"2026-03-01 12:{n:02d} gpu.bus failed: NVRM: Xid (PCI:0000:5d:00): 79, off the bus" for n in range(60)],
    tried=["Reseated the module", "Power drain"],
)  # fmt: skip


@pytest.mark.parametrize("vendor", list(Vendor))
def test_a_letter_keeps_to_the_limits_of_its_vendor_and_says_what_was_cut(vendor: Vendor) -> None:
    letter = letters.write(vendor, WHOLE)
    assert len(letter.title) <= FORMS[vendor].title
    assert len(letter.text) <= FORMS[vendor].text
    assert letter.cut
    assert letter.text.endswith(letters.MORE)
    assert not letter.missing
    assert "7XK2Q34" in letter.text
    assert "Xid 79" in letter.text


@given(
    symptom=st.text(max_size=3000),
    evidence=st.lists(st.text(max_size=300), max_size=20),
    vendor=st.sampled_from(list(Vendor)),
)
@settings(max_examples=150, deadline=None)
def test_no_letter_is_ever_longer_than_its_form_takes(symptom: str, evidence: list[str], vendor: Vendor) -> None:
    letter = letters.write(vendor, Facts(symptom=symptom, evidence=evidence, service_tag="A1"))
    assert len(letter.title) <= FORMS[vendor].title
    assert len(letter.text) <= FORMS[vendor].text


def test_a_letter_names_what_its_vendor_wants_and_nobody_gave() -> None:
    bare = Facts(symptom="dead")
    assert letters.missing(Vendor.DELL, bare) == tuple(
        letters.NAMES[name] for name in ("service_tag", "part_number", "serial", "contact")
    )
    assert letters.missing(Vendor.GENERIC, bare) == (letters.NAMES["contact"],)


def test_every_fact_that_a_form_wants_exists_and_has_a_name() -> None:
    for form in FORMS.values():
        assert form.source
        for name in form.wants:
            assert hasattr(WHOLE, name)
            assert name in letters.NAMES


@pytest.mark.parametrize(
    ("word", "vendor"), [("Dell Inc.", "dell"), ("Supermicro", "supermicro"), ("HPE", "hpe"), ("ODM", "generic")]
)
def test_a_vendor_is_known_by_the_name_its_model_has(word: str, vendor: str) -> None:
    assert letters.vendor_of(word) == vendor


# ---- the scrubber ----

SECRETS = st.text(string.ascii_letters + string.digits + "!#%+-_.~", min_size=8, max_size=40).filter(
    lambda text: not text.startswith("-")
)
PLACES = (
    "password={}", "Password: {}", 'passwd = "{}"', "token: '{}'", "api_key={}", "API-KEY={}", "export BMC_PASSWORD={}",
    "SNMP community: {}", "client_secret={}", '{{"password": "{}"}}', '{{"authToken": "{}", "x": 1}}',
    "Authorization: Bearer {}", "> X-Auth-Token: {}", "Cookie: session={}", "ipmitool -U root --password {} sel list",
    "https://root:{}@10.0.0.5/redfish", "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\n{}",
)  # fmt: skip


@given(secret=SECRETS, place=st.sampled_from(PLACES), around=st.text(string.ascii_lowercase + " \n", max_size=60))
@settings(max_examples=400, deadline=None)
def test_no_secret_survives_in_any_of_its_places(secret: str, place: str, around: str) -> None:
    marked = f"Zq{secret}9"
    scrubbed = scrub.text(f"{around}\n{place.format(marked)}\n{around}")
    assert marked not in scrubbed
    assert scrub.REMOVED in scrubbed


@given(secret=SECRETS, place=st.sampled_from(PLACES))
@settings(max_examples=200, deadline=None)
def test_scrubbing_again_changes_nothing(secret: str, place: str) -> None:
    once = scrub.text(place.format(secret))
    assert scrub.text(once) == once


@pytest.mark.parametrize(
    "line",
    [
        "NVRM: Xid (PCI:0000:5d:00): 79, pid=1234, GPU has fallen off the bus.",
        "Fan 3A RPM: 7200", "System Board Inlet Temp: 24 C", "0000:5d:00.0 3D controller [0302]: NVIDIA H100",
        "mlx5_10: Port 1: Down -> Polling", "PSU 2 lost its input.", "tokens/s 51234", "SerialNumber: 1650000000007",
    ],
)  # fmt: skip
def test_what_says_what_failed_stays_as_it_is(line: str) -> None:
    assert scrub.text(line) == line


def test_forms_of_secrets_are_known_without_a_name() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
    shadow = "root:$6$abcdefgh$Zk0Y9dL1mQ:19000:0:99999:7:::"
    assert token not in scrub.text(f"sent {token} to it")
    assert "$6$" not in scrub.text(shadow)
    assert "AKIAIOSFODNN7EXAMPLE" not in scrub.text("key AKIAIOSFODNN7EXAMPLE here")


@given(secret=SECRETS)
@settings(deadline=None)
def test_json_loses_what_stands_under_the_name_of_a_secret_at_any_depth(secret: str) -> None:
    marked = f"Zq{secret}9"
    given_ = {
        "Oem": {"Dell": [{"UserName": "root", "Password": marked}, {"SessionKey": marked}]},
        "Id": "1",
        "Fans": 16,
    }
    scrubbed = scrub.json_value(given_)
    assert marked not in json.dumps(scrubbed)
    assert scrubbed["Oem"]["Dell"][0]["UserName"] == "root"
    assert scrubbed["Fans"] == 16


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("BMC password: Xk7,Rt9w", "BMC password: [removed]"),
        ("ipmitool -H b -U root -P calvin power on", "ipmitool -H b -U root -P [removed] power on"),
        ("curl -k -u root:calvin https://b", "curl -k -u root:[removed] https://b"),
        ("sshpass -p calvin ssh b", "sshpass -p [removed] ssh b"),
    ],
)
def test_secrets_with_commas_and_those_of_command_lines_go_whole(line: str, left: str) -> None:
    assert scrub.text(line) == left


def test_lists_and_objects_under_the_name_of_a_secret_go_whole() -> None:
    given = {"Passwords": ["hunter2"], "Token": {"value": "abc"}, "CommunityNames": ["x"], "PasswordSet": True}
    assert scrub.json_value(given) == {
        "Passwords": "[removed]", "Token": "[removed]", "CommunityNames": "[removed]", "PasswordSet": True,
    }  # fmt: skip


def test_a_long_word_takes_no_longer_than_as_many_short_ones() -> None:
    """The worst case of an expression that tries anew at each letter: minutes, and a bundle that never ends."""
    assert scrub.text("a" * 200_000) == "a" * 200_000


def test_a_capability_named_after_a_secret_stays() -> None:
    told = {"MinPasswordLength": 8, "PasswordChangeRequired": False, "Password": None}
    assert scrub.json_value(told)["Password"] is None
    assert scrub.json_value(told)["PasswordChangeRequired"] is False


# ---- the manifest ----


def piece(name: str, size: int, reason: str = "") -> manifest.Piece:
    return manifest.Piece(name, "test", NOW, b"x" * size, reason)


def test_the_zip_has_what_its_manifest_says_and_names_what_is_missing() -> None:
    pieces = [piece("a.txt", 10), piece("b.json", 5), piece("tsr.zip", 0, "the BMC did not answer")]
    told = manifest.manifest({"case": 1}, pieces, NOW)
    target = io.BytesIO()
    manifest.pack(target, told, pieces)
    with zipfile.ZipFile(target) as packed:
        assert json.loads(packed.read("manifest.json")) == told
        for row in told["files"]:
            assert len(packed.read(row["name"])) == row["size"]
        assert packed.testzip() is None
        assert set(packed.namelist()) == {"manifest.json", "a.txt", "b.json"}
    assert told["missing"] == [
        {"name": "tsr.zip", "source": "test", "at": NOW.isoformat(), "reason": "the BMC did not answer"}
    ]
    assert told["size"] == 15


def test_what_is_too_large_is_missing_and_takes_nothing_else_with_it() -> None:
    kept = manifest.fitting([piece("a", 40), piece("large", 80), piece("b", 50), piece("c", 20)], most=100, largest=60)
    assert [(each.name, bool(each.reason)) for each in kept] == [
        ("a", False), ("large", True), ("b", False), ("c", True),
    ]  # fmt: skip
    assert all(not each.content for each in kept if each.reason)


@given(st.lists(st.integers(0, 60), max_size=12))
def test_a_bundle_never_exceeds_its_limit(sizes: list[int]) -> None:
    kept = manifest.fitting([piece(str(n), size) for n, size in enumerate(sizes)], most=100, largest=50)
    assert sum(len(each.content) for each in kept) <= 100
    assert len(kept) == len(sizes)


@given(st.text(max_size=60))
def test_no_name_leads_out_of_the_zip(name: str) -> None:
    safe = manifest.safe_name(name)
    assert safe
    assert not safe.startswith("/")
    assert ".." not in safe.split("/")


# ---- what to order ----


def test_enough_agrees_with_failures_drawn_at_random() -> None:
    draw = random.Random(7)
    for mean in (0.2, 1.5, 4.0, 12.0):
        k = reorder.enough(mean, 0.95)
        total = 4000
        inside = sum(_poisson(draw, mean) <= k for _ in range(total))
        assert inside / total >= 0.93
        assert k == 0 or _below(mean, k - 1) < 0.95


def _poisson(draw: random.Random, mean: float) -> int:
    limit, product, k = math.exp(-mean), draw.random(), 0
    while product > limit:
        product, k = product * draw.random(), k + 1
    return k


def _below(mean: float, k: int) -> float:
    return sum(math.exp(-mean) * mean**n / math.factorial(n) for n in range(k + 1))


def test_the_two_ways_of_reckoning_meet_where_one_takes_over() -> None:
    assert abs(reorder.enough(499.9, 0.95) - reorder.enough(500.1, 0.95)) <= 3


def test_more_failures_want_more_spares_and_parts_under_way_count() -> None:
    few = reorder.advise(failures=6, days=90, lead_days=14, have=0)
    many = reorder.advise(failures=30, days=90, lead_days=14, have=0)
    assert 0 < few.wanted < many.wanted
    assert reorder.advise(failures=30, days=90, lead_days=14, have=4, coming=3).order == many.wanted - 7


def test_too_few_failures_say_nothing_of_a_rate() -> None:
    advice = reorder.advise(failures=2, days=90, lead_days=14, have=1, minimum=4)
    assert advice.rate_per_day is None
    assert (advice.wanted, advice.order) == (4, 3)
    assert "too few" in advice.why


def test_the_minimum_of_a_person_holds_in_any_case() -> None:
    assert reorder.advise(failures=5, days=365, lead_days=7, have=0, minimum=9).wanted == 9
