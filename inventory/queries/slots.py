"""What is printed at slots, for rows of SQL that name one: read in the database, so no list decodes whole models."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import CharField, F, Func, TextField, Value
from django.db.models.functions import Cast, Coalesce

from inventory.models import Device, DeviceModel
from inventory.slot_text import slot_text, slot_texts


def printed_label(spec: str, slot: str) -> Coalesce:
    """An annotation: the label at the slot that the column `slot` names, in the device model at the path `spec`."""
    return Coalesce(_first("$.slots[*] ? (@.name == $slot).label", spec, slot), Value(""), output_field=CharField())


def port_face(spec: str, slot: str) -> Func:
    """An annotation: the face that the port on the part in a slot says, for `faces.face_of_slot`; null without one."""
    return _first("$.ports[*] ? (@.slot == $slot).face", spec, slot)


def _first(path: str, spec: str, slot: str) -> Func:
    variables = Func(Cast(Value("slot"), TextField()), F(slot), function="jsonb_build_object", output_field=TextField())
    return Func(
        F(spec), Func(Value(path), template="%(expressions)s::jsonpath"), variables,
        template="(jsonb_path_query_first(%(expressions)s) #>> '{}')", output_field=TextField(),
    )  # fmt: skip


def slot_text_of(device_id: int, slot: str) -> str:
    """One slot of one device as people read it, or its name where the model has no such slot. One query."""
    label = printed_label("model__spec", "asked")
    seen = Device.objects.filter(pk=device_id).annotate(asked=Value(slot)).annotate(label=label)
    return slot_text(slot, seen.values_list("label", flat=True).first() or "")


def slot_texts_by_device(device_ids: Iterable[int]) -> dict[int, dict[str, str]]:
    """The slots of many devices as people read them, by name. Two queries: a model's slots are read once."""
    models = dict(Device.objects.filter(pk__in=set(device_ids)).values_list("pk", "model_id"))
    specs = DeviceModel.objects.filter(pk__in=set(models.values())).values_list("pk", "spec")
    named = {pk: slot_texts(spec) for pk, spec in specs}
    return {device: named[model] for device, model in models.items()}


def slot_texts_of(device_id: int) -> dict[str, str]:
    """The slots of one device as people read them, by name. One query."""
    return slot_texts(Device.objects.filter(pk=device_id).values_list("model__spec", flat=True).first())
