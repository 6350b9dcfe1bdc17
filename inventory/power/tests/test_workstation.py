"""Plans of leads inside a machine: the shipped example is sound, and every wrong plan is told with slot and reason."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from inventory.power.workstation import check, connector_w, installed_watts, watts_of
from inventory.specs.device_model import MODELS_DIR, DeviceModelError, DeviceModelSpec, Lead, Slot, shipped_models

TOWER = yaml.safe_load((MODELS_DIR / "tower-4x-l40s.yaml").read_text())


def small(**changes: Any) -> dict[str, Any]:
    """A tower of one GPU with two 8-pin connectors, planned well; `changes` replace fields of the file."""
    return {
        "model": "tower", "vendor": "x", "name": "x", "kind": "machine", "u_height": 4, "psu_count": 1,
        "psus": {
            "rated_w": 1000, "other_w": 100,
            "sockets": [{"name": "P1", "connector": "8-pin"}, {"name": "P2", "connector": "8-pin"},
                        {"name": "P3", "connector": "6-pin"}, {"name": "P4", "connector": "12v-2x6", "max_w": 450}],
        },
        "slots": [{"name": "GPU 0", "kind": "gpu", "max_w": 320, "power": [{"connector": "8-pin"}] * 2}],
        "leads": [{"socket": "P1", "slot": "GPU 0", "number": 1, "connector": "8-pin"},
                  {"socket": "P2", "slot": "GPU 0", "number": 2, "connector": "8-pin"}],
    } | changes  # fmt: skip


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    plan = copy.deepcopy(small())
    change(plan)
    return plan


def codes(data: dict[str, Any]) -> list[tuple[str, str]]:
    """What the check says of a plan, also of one that would not be loaded."""
    spec = DeviceModelSpec.model_construct(**_parsed(data))
    return [(finding.code, finding.slot) for finding in check(spec)]


def _parsed(data: dict[str, Any]) -> dict[str, Any]:
    sound = DeviceModelSpec.from_dict(data | {"leads": [], "slots": [slot | {"power": []} for slot in data["slots"]]})
    fields = {name: getattr(sound, name) for name in DeviceModelSpec.model_fields}
    return fields | {
        "slots": tuple(Slot(**slot) for slot in data["slots"]),
        "leads": tuple(Lead(**lead) for lead in data["leads"]),
    }


def test_every_shipped_model_is_sound() -> None:
    for name in shipped_models():
        assert check(DeviceModelSpec.load(name)) == []


def test_connectors_carry_what_their_kind_does() -> None:
    watts = {kind: connector_w(kind) for kind in ("6-pin", "8-pin", "12-pin", "12vhpwr", "12v-2x6")}
    assert watts == {"6-pin": 75, "8-pin": 150, "12-pin": 500, "12vhpwr": 600, "12v-2x6": 600}
    assert connector_w("12v-2x6", 300) == 300


def lead(plan: dict[str, Any], at: int, **fields: Any) -> None:
    plan["leads"][at] |= fields


WRONG: dict[str, tuple[Callable[[dict[str, Any]], Any], tuple[str, str], str]] = {
    "daisy chain": (lambda p: lead(p, 1, socket="P1"), ("daisy_chain", "P1"),
                    "P1 feeds GPU 0 connector 1 and GPU 0 connector 2: one independent cable per connector"),
    "a connector without a lead": (lambda p: p["leads"].pop(), ("no_lead", "GPU 0"), "connector 2 has no lead"),
    "two leads in one connector": (lambda p: lead(p, 1, number=1), ("connector_twice", "GPU 0"), "P1 and P2"),
    "a lead that does not fit the card": (lambda p: lead(p, 0, connector="6-pin", socket="P3"),
                                          ("wrong_connector", "GPU 0"), "6-pin lead does not fit connector 1"),
    "a lead that does not fit the supply": (lambda p: lead(p, 0, socket="P3"), ("wrong_socket", "GPU 0"),
                                            "which is 6-pin"),
    "a socket that is not there": (lambda p: lead(p, 0, socket="P9"), ("no_socket", "GPU 0"), "no socket P9"),
    "a connector that is not there": (lambda p: lead(p, 0, number=3), ("no_connector", "GPU 0"), "2 power connectors"),
    "a slot that is not there": (lambda p: lead(p, 0, slot="GPU 9"), ("no_connector", "GPU 9"), "no such slot"),
    "more than the connectors give": (lambda p: p["slots"][0].update(max_w=376), ("over_connectors", "GPU 0"),
                                      "draws 376 W, but its connectors give 375 W (150 + 150 + 75 of the slot)"),
    "more than the supply gives": (lambda p: p["psus"].update(rated_w=400), ("over_supply", ""), "draws up to 420 W"),
}  # fmt: skip


@pytest.mark.parametrize("plan", WRONG)
def test_a_wrong_plan_is_refused_with_slot_and_reason(plan: str) -> None:
    change, finding, reason = WRONG[plan]
    data = changed(change)
    assert finding in codes(data)
    with pytest.raises(DeviceModelError) as refusal:
        DeviceModelSpec.from_dict(data)
    assert reason in str(refusal.value)


def test_a_socket_of_less_than_its_kind_is_found() -> None:
    data = changed(lambda p: (
        p["slots"][0].update(max_w=575, power=[{"connector": "12v-2x6"}]),
        p.update(leads=[{"socket": "P4", "slot": "GPU 0", "connector": "12v-2x6"}]),
    ))  # fmt: skip
    assert ("over_socket", "GPU 0") in codes(data)


def test_too_little_head_room_is_a_warning_and_the_share_is_the_models() -> None:
    tight = small(psus=small()["psus"] | {"rated_w": 500})  # 420 W of 500 W
    (finding,) = check(DeviceModelSpec.from_dict(tight))
    assert (finding.severity, finding.code) == ("warning", "no_headroom")
    assert check(DeviceModelSpec.from_dict(small(psus=tight["psus"] | {"headroom_percent": 10}))) == []


def test_supplies_that_may_fail_are_not_counted_on() -> None:
    two = {"psu_count": 2, "psus": small()["psus"] | {"rated_w": 600}}
    assert check(DeviceModelSpec.from_dict(small(**two))) == []
    redundant = two | {"psus": two["psus"] | {"may_fail": 1, "rated_w": 500}}
    assert [finding.code for finding in check(DeviceModelSpec.from_dict(small(**redundant)))] == ["no_headroom"]
    with pytest.raises(DeviceModelError, match="none would be left"):
        DeviceModelSpec.from_dict(small(psus=small()["psus"] | {"may_fail": 1}))


def test_a_card_whose_draw_nobody_knows_is_unknown_not_fine() -> None:
    data = changed(lambda p: p["slots"][0].pop("max_w"))
    findings = check(DeviceModelSpec.from_dict(data))
    assert ("unknown", "draw_unknown", "GPU 0") in [finding[:3] for finding in findings]


def test_the_older_16_pin_plug_fits_the_newer_socket() -> None:
    tower = copy.deepcopy(TOWER)
    tower["slots"][0]["power"] = [{"connector": "12vhpwr"}]
    assert check(DeviceModelSpec.from_dict(tower)) == []


def test_what_is_installed_counts_instead_of_what_was_planned() -> None:
    spec = DeviceModelSpec.from_dict(TOWER)
    hungry = {f"GPU {n}": {"power_limit_w": "700.00 W"} for n in range(2)}
    watts = installed_watts(spec, [*hungry.items(), ("GPU 2", {}), ("NVMe 0", {"power_limit_w": 9})])
    assert watts == {"GPU 0": 700.0, "GPU 1": 700.0, "GPU 2": 350}
    found = {(finding.code, finding.slot) for finding in check(spec, watts)}
    assert {("over_connectors", "GPU 0"), ("over_connectors", "GPU 1")} <= found
    assert not any(slot == "GPU 3" for _, slot in found)  # nothing is in it


@pytest.mark.parametrize(
    ("attributes", "watts"),
    [({"power_limit_w": 450}, 450), ({"power_limit_w": "450.00 W"}, 450), ({"power_limit_w": "N/A"}, None), ({}, None),
     ({"power_limit_w": True}, None), ({"power_limit_w": -5}, None), ({"power_limit_w": "nan"}, None),
     ({"power_limit_w": None, "max_w": 300}, 300)],
)  # fmt: skip
def test_a_power_limit_is_read_as_the_tools_print_it(attributes: dict[str, Any], watts: float | None) -> None:
    assert watts_of(attributes) == watts
