"""No text of a policy is part of what is sent to a machine: decisions are about the answer, and only the device model
says what is asked. Every text field of every decision is tried, past all checks, straight in its table.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import models
from django.utils import timezone

from health.models import KernelImage, KernelLine, ThresholdOverride
from health.monitoring.models.policy import Decision
from health.monitoring.services.sweeps import observation
from health.tests import factories as make
from health.tests.hostile import ACTIVE, ODD
from inventory.models import Machine

pytestmark = pytest.mark.django_db
DECISIONS = [model for model in apps.get_app_config("health").get_models() if issubclass(model, Decision)]
STORABLE = [value for value in (*ACTIVE, *ODD) if "\0" not in value]  # PostgreSQL's texts hold no NUL


def texts(model: type[models.Model], value: str) -> dict[str, Any]:
    """This text in every field of a model that takes one; what must be a word of a list or belongs to its end, not."""
    fields = [field for field in model._meta.concrete_fields if isinstance(field, models.CharField)]
    return {f.name: value[: f.max_length] for f in fields if not f.choices and f.name not in ("ended_by", "verdict")}


def decide(machine: Machine, value: str) -> None:
    """A row of every kind of decision about this machine that says nothing but this text, and one about real checks."""
    site, later = machine.device.site, timezone.now() + timedelta(days=1)
    for model in DECISIONS:
        for check in (value, "disk.space", "gpu.xid"):
            row = texts(model, value) | {"site": site, "expires_at": later}
            names = {field.name for field in model._meta.concrete_fields}
            row |= {"check_id": check[:60]} if "check_id" in names else {"fault_class": check[:60], "response": "note"}
            row |= {"scope": "site"} if "scope" in names else {}
            row |= {"thresholds": {value: value, "disk_warn_percent": value}} if model is ThresholdOverride else {}
            model.objects.create(**row)  # type: ignore[attr-defined]
    image = KernelImage.objects.create(**texts(KernelImage, value), site=site, model=machine.device.model)
    now = {"first_seen": timezone.now(), "last_seen": timezone.now()}
    KernelLine.objects.create(
        **texts(KernelLine, value), **now, image=image, state="bad", verdict="fail", decided_at=timezone.now()
    )


def asked(machine: Machine) -> list[str]:
    found, unjudged = observation.prepared([machine.pk])
    assert len(found) == 1 and not unjudged, "a policy blinds nobody"
    return list(observation.questions(found).scripts)


@pytest.mark.parametrize("value", STORABLE)
def test_no_text_of_a_policy_is_part_of_the_probe(value: str) -> None:
    (machine,) = make.make_machines(1)
    before = asked(machine)
    assert len(before) == 1 and len(DECISIONS) >= 4
    decide(machine, value)
    assert asked(machine) == before
