"""Django admin of provisioning: to look at, not to write."""

from django.contrib import admin
from django.http import HttpRequest

from provisioning.models import BootToken, Run, RunMachine


class ReadOnlyAdmin(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("id", "name", "site", "status", "limit", "created_at", "created_by")
    list_filter = ("status", "site")


@admin.register(RunMachine)
class RunMachineAdmin(ReadOnlyAdmin):
    list_display = ("run", "machine", "status", "step", "attempt", "failure_class", "ticket")
    list_filter = ("status", "failure_class")
    search_fields = ("machine__device__name",)


@admin.register(BootToken)
class BootTokenAdmin(ReadOnlyAdmin):
    list_display = ("run_machine", "mac", "issued_at", "expires_at", "user_data_at", "phoned_home_at", "revoked_at")
    exclude = ("token_hash",)
