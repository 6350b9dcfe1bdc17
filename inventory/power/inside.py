"""What the API says of the power inside a machine: the plan of its model, or with the parts that are installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inventory.models import Device, DeviceModel
from inventory.power import workstation
from inventory.spec import DeviceModelSpec


def model_power(model: DeviceModel) -> dict[str, Any]:
    """The answer of `/api/device-models/SLUG/power/`."""
    return _answer(DeviceModelSpec.from_dict(model.spec, source=model.slug), None)


def device_power(device: Device, parts: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The answer of `/api/devices/ID/power/`: `parts` are slot and attributes of what is installed."""
    spec = DeviceModelSpec.from_dict(device.model.spec, source=device.model.slug)
    installed_w = workstation.installed_watts(spec, parts) if parts else None  # nobody told the parts: as planned
    return {"device": {"id": device.pk, "name": device.name}, **_answer(spec, installed_w)}


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
