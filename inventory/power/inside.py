"""What the API says of the power inside a machine: the plan of its model, or with the parts that are installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import Conflict
from inventory.models import Device, DeviceModel
from inventory.models.stored_json import Unreadable
from inventory.power import workstation
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec

MOST_CHARACTERS = 600


def model_power(model: DeviceModel) -> dict[str, Any]:
    """The answer of `/api/device-models/SLUG/power/`. Raises Conflict for a stored model that cannot be used."""
    return _answer(_spec(model), None)


def device_power(device: Device, parts: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The answer of `/api/devices/ID/power/`: `parts` are slot and attributes of what is installed. Raises Conflict."""
    spec = _spec(device.model)
    installed_w = workstation.installed_watts(spec, parts) if parts else None  # nobody told the parts: as planned
    return {"device": {"id": device.pk, "name": device.name}, **_answer(spec, installed_w)}


def _spec(model: DeviceModel) -> DeviceModelSpec:
    """Raises Conflict where the stored model cannot be used: somebody has to mend it first."""
    if isinstance(model.spec, Unreadable):
        raise Conflict(f"The device model {model.slug} cannot be read: {model.spec.why}", code="unusable_model")
    try:
        return DeviceModelSpec.from_dict(model.spec, source="spec")
    except DeviceModelError as error:
        text = f"The device model {model.slug} cannot be used: {error}"
        raise Conflict(text[:MOST_CHARACTERS], code="unusable_model") from error


def _answer(spec: DeviceModelSpec, installed_w: Mapping[str, float | None] | None) -> dict[str, Any]:
    draws = workstation.slot_draws(spec, installed_w)
    budget = workstation.budget(spec, draws)
    return {
        "model": spec.model,
        "planned": workstation.is_planned(spec),
        "supply": budget._asdict(),
        "slots": [
            {
                "slot": slot.name,
                "label": slot.label,
                "max_w": draws.get(slot.name),
                "slot_w": workstation.slot_w(slot),
                "connectors": [
                    {
                        "number": number,
                        "connector": inlet.connector,
                        "max_w": workstation.connector_w(inlet.connector, inlet.max_w),
                        "sockets": [
                            lead.socket for lead in spec.leads if (lead.slot, lead.number) == (slot.name, number)
                        ],
                    }
                    for number, inlet in enumerate(slot.power, start=1)
                ],
            }
            for slot in spec.slots
            if slot.power or slot.max_w is not None
        ],
        "findings": [finding._asdict() for finding in workstation.check(spec, installed_w)],
    }
