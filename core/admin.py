"""Administration of users and their roles, for administrators of every site. Sites are a kind of the inventory."""

from typing import ClassVar

from allauth.mfa.base.internal.flows import delete_dangling_recovery_codes
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet

from core.models import AuditChange, AuditEntry, Credential, RoleGrant, User


class RoleGrantInline(admin.TabularInline):
    model = RoleGrant
    extra = 0


@admin.register(User)
class RacksideUserAdmin(UserAdmin):
    inlines: ClassVar = [RoleGrantInline]
    list_display = ("username", "email", "first_name", "last_name", "is_active", "last_login")


@admin.register(Credential)
class CredentialAdmin(admin.ModelAdmin):
    """Shows that a credential exists; its secret is set by `manage.py set_credential` and never shown.

    What it is bound to changes there, too (`--bind`): only the command knows the rules of hosts and purposes.
    """

    list_display = ("name", "kind", "purpose", "hosts", "site", "username", "changed_at")
    list_select_related = ("site",)

    def has_add_permission(self, request: object) -> bool:
        return False

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        return False


admin.site.unregister(Authenticator)


@admin.register(Authenticator)
class SecondFactorAdmin(admin.ModelAdmin):
    """For somebody who lost it: removed here, with the recovery codes when it was the last, the person signs in with
    the password and adds another."""

    list_display = ("user", "type", "created_at", "last_used_at")
    list_select_related = ("user",)
    list_filter = ("type",)
    search_fields = ("user__username",)
    exclude = ("data",)

    def delete_model(self, request: object, obj: Authenticator) -> None:
        obj.delete()
        delete_dangling_recovery_codes(obj.user)

    def delete_queryset(self, request: object, queryset: QuerySet[Authenticator]) -> None:
        people = list(User.objects.filter(authenticator__in=queryset).distinct())
        queryset.delete()
        for person in people:
            delete_dangling_recovery_codes(person)

    def has_add_permission(self, request: object) -> bool:
        return False

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        return False


class ReadOnlyAdmin(admin.ModelAdmin):
    """The audit log is written by the database alone."""

    show_full_result_count = False

    def has_add_permission(self, request: object) -> bool:
        return False

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        return False


@admin.register(AuditChange)
class AuditChangeAdmin(ReadOnlyAdmin):
    list_display = ("id", "at", "actor", "kind", "source", "note")
    list_filter = ("kind", "at")
    search_fields = ("actor", "source", "request_id")


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("id", "change", "site_id", "table_name", "action", "size")
    list_filter = ("action", "table_name")
    list_select_related = ("change",)
    search_fields = ("change__actor",)
