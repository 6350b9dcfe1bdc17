"""Administration of the inventory for those who keep its data: every kind of record can be searched and edited.

Forms, columns and checks come from the declarations in `inventory.kinds`; writes go through the same engine as those
of the API and of files. What belongs to another record (a placement, a plug) is edited with that record.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from inventory import models
from inventory.admin_forms import editable, form_class
from inventory.kinds import write
from inventory.kinds.kind import KINDS, Kind
from inventory.kinds.scope import Scope

SHOWN_COLUMNS = 8


class KindAdmin(admin.ModelAdmin):
    kind: Kind
    list_per_page = 100
    show_full_result_count = False

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any) -> Any:
        return form_class(self.kind, str(request.user.get_username()))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return [(None, {"fields": [field.name for field in editable(self.kind)]})]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """The form has written it."""

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Nor are there related rows left to write."""

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Whether rows may go is said by the engine; a dry run tells."""
        report = self._remove(objs, request, dry_run=True)
        refused = [f"{row.key or row.id}: {error.reason}" for row in report.rows for error in row.errors]
        return [str(row) for row in objs], {self.opts.verbose_name_plural: len(objs)}, set(), refused

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self._remove([obj], request)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        report = self._remove(list(queryset), request)
        if not report.ok:
            reasons = [error.reason for row in report.rows for error in row.errors] or [report.message]
            self.message_user(request, f"Nothing was removed: {reasons[0]}", messages.ERROR)

    def _remove(self, rows: Any, request: HttpRequest, *, dry_run: bool = False) -> Any:
        return write(
            self.kind, [{"id": row.pk} for row in rows], "delete",
            scope=Scope.everything(), actor=str(request.user.get_username()), dry_run=dry_run,
        )  # fmt: skip

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """The audit log knows every change, also those made elsewhere."""
        return redirect(f"/history?kind={self.kind.name}&object={object_id}")

    # Django's own log of this site would tell half of what the audit log tells.
    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        return None

    log_change = log_addition

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        return []


def options(kind: Kind) -> dict[str, Any]:
    """Columns, filters and search of a kind's list."""
    own = {field.name: field for field in kind.model._meta.concrete_fields}
    names = [name for name in kind.fields if name in own and name != "custom"]
    first = [name for name in (kind.label,) if name in own]
    columns = [*first, *(name for name in names if name not in first)][:SHOWN_COLUMNS]
    filters = [name for name in ("site", "kind", "status", "role", "condition") if name in own]
    joined = [name for name in columns if own[name].is_relation]
    return {
        "kind": kind,
        "list_display": columns or ["__str__"],
        "list_display_links": columns[:1] or None,
        "list_filter": filters,
        "list_select_related": joined or False,
        "search_fields": kind.search or ("pk",),
        "ordering": kind.order,
        "__doc__": f"{kind.title.capitalize()}.",
    }


for declared in KINDS.values():
    if declared.part_of:  # switches are among the devices
        continue
    admin.site.register(declared.model, type(f"{declared.class_name}Admin", (KindAdmin,), options(declared)))


class LookingOnly(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Installation)
class InstallationAdmin(LookingOnly):
    """Where each part was; parts are moved by the page of the part, a ticket or a file."""

    list_display = ("component", "device", "slot", "during", "by", "ticket")
    search_fields = ("component__serial", "device__name", "slot")
    list_select_related = ("component", "device")


@admin.register(models.Machine)
class MachineAdmin(LookingOnly):
    """To be found when other records refer to a machine; it is edited as a device."""

    list_display = ("device", "role", "primary_ip", "bmc_ip")
    search_fields = ("device__name", "primary_ip", "bmc_ip", "boot_mac", "bmc_mac")
    list_select_related = ("device",)
