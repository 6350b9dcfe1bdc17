"""Writes of reserved ports and of the length table."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from core.errors import Conflict
from fabric.wiring.models.plans import LengthRule, ReservedPort
from inventory.models import StrandEnd


@transaction.atomic
def reserve(row: ReservedPort | None, fields: dict[str, Any], *, by: str) -> ReservedPort:
    """Keep a free port for somebody (None), or change for whom. Raises Conflict for a port that is not free."""
    kept = ReservedPort(created_by=by) if row is None else ReservedPort.objects.select_for_update().get(pk=row.pk)
    for name, value in fields.items():
        setattr(kept, name, value)
    cabled = StrandEnd.objects.filter(port_id=kept.port_id, change_set=None).exclude(connector__cable__status="removed")
    if "port" in fields and cabled.exists():
        raise Conflict("A cable is planned for this port.", "port_in_use")
    try:
        with transaction.atomic():
            kept.save()
    except IntegrityError as error:
        raise Conflict("This port is reserved already.", "duplicate") from error
    kept.refresh_from_db()
    return kept


@transaction.atomic
def release(row: ReservedPort) -> None:
    row.delete()


@transaction.atomic
def save_length(row: LengthRule | None, fields: dict[str, Any]) -> LengthRule:
    """Write a rule, the smaller end first. Raises Conflict when there is one of these two places."""
    rule = LengthRule() if row is None else LengthRule.objects.select_for_update().get(pk=row.pk)
    for name, value in fields.items():
        setattr(rule, name, value)
    if (rule.a_rack_id or 0) > (rule.b_rack_id or 0):
        rule.a_rack, rule.b_rack = rule.b_rack, rule.a_rack
    if (rule.a_row_id or 0) > (rule.b_row_id or 0):
        rule.a_row, rule.b_row = rule.b_row, rule.a_row
    try:
        with transaction.atomic():
            rule.save()
    except IntegrityError as error:
        raise Conflict("There is a rule of these two places already.", "duplicate") from error
    return rule


@transaction.atomic
def remove_length(row: LengthRule) -> None:
    row.delete()
