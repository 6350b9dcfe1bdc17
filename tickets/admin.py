"""Django admin of tickets: read only, because every change goes through the workflow."""

from typing import Any

from django.contrib import admin

from tickets.models import Clearance, Comment, Evidence, IndicatorLed, PartSwap, Step, Ticket, TicketChange, WorkOrder


class ReadOnly:
    """Nobody adds, changes or deletes here."""

    def has_add_permission(self, *args: Any) -> bool:
        return False

    def has_change_permission(self, *args: Any) -> bool:
        return False

    def has_delete_permission(self, *args: Any) -> bool:
        return False


def lines(of: type) -> type[admin.TabularInline]:
    """A read-only table of rows of this model below their ticket."""
    return type(f"{of.__name__}Lines", (ReadOnly, admin.TabularInline), {"model": of, "extra": 0})


@admin.register(Ticket)
class TicketAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("key", "title", "status", "priority", "assignee", "opened_at", "closed_at")
    list_select_related = ("assignee",)
    list_filter = ("site", "subject", "status", "priority", "source")
    search_fields = ("number", "title", "device__name", "cable__label")
    inlines = tuple(lines(model) for model in (WorkOrder, Step, Clearance, Evidence, Comment, PartSwap, TicketChange))


@admin.register(IndicatorLed)
class IndicatorLedAdmin(ReadOnly, admin.ModelAdmin):
    list_select_related = ("machine__device",)
    list_display = ("machine", "wanted", "seen", "attempts", "next_try_at", "error")
    search_fields = ("machine__device__name",)
