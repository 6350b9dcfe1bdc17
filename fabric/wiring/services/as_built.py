"""As-built plans that a contractor brought: kept and removed."""

from __future__ import annotations

import zlib

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from core.errors import Conflict
from core.models import Site
from fabric import formats
from fabric.discovery.services.uploads import MOST_BYTES, FileRefused
from fabric.formats.plan_files import PlanFileError, read_plan
from fabric.wiring.models.plans import AsBuiltPlan


@transaction.atomic
def keep_plan(site: Site, *, name: str, filename: str, content: bytes, note: str, by: str) -> AsBuiltPlan:
    """Keep a contractor's list of cables. Raises FileRefused with the places that are wrong, Conflict for its name."""
    if len(content) > MOST_BYTES:
        raise FileRefused(f"{filename} is larger than {MOST_BYTES // 2**20} MiB")
    try:
        text = formats.text_of(content, filename)
        plan = read_plan(text, filename)
    except (PlanFileError, formats.Unreadable) as error:
        raise FileRefused(str(error)) from error
    if not plan.cables:
        raise FileRefused(f"{filename} has no cables")
    try:
        with transaction.atomic():
            return AsBuiltPlan.objects.create(
                site=site, name=name, filename=filename[:200], content=zlib.compress(text.encode(), 6),
                cables=len(plan.cables), devices=len(plan.devices), note=note, created_by=by,
            )  # fmt: skip
    except IntegrityError as error:
        raise Conflict(f"There is a plan called {name} already.", "duplicate") from error


@transaction.atomic
def remove_plan(plan: AsBuiltPlan) -> None:
    """Raises ValidationError while a source is held against it."""
    plan = AsBuiltPlan.objects.select_for_update().get(pk=plan.pk)
    names = list(plan.sources.values_list("name", flat=True))
    if names:
        raise ValidationError(f"The source {names[0]} is held against this plan.")
    plan.delete()
