"""Administration of users and their roles, for administrators of every site. Sites are a kind of the inventory."""

from typing import ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from core.models import Credential, RoleGrant, User


class RoleGrantInline(admin.TabularInline):
    model = RoleGrant
    extra = 0


@admin.register(User)
class RacksideUserAdmin(UserAdmin):
    inlines: ClassVar = [RoleGrantInline]
    list_display = ("username", "email", "first_name", "last_name", "is_active", "last_login")


@admin.register(Credential)
class CredentialAdmin(admin.ModelAdmin):
    """Shows that a credential exists; its secret is set by `manage.py set_credential` and never shown."""

    list_display = ("name", "kind", "username", "changed_at")
    readonly_fields = ("name", "kind", "username", "changed_at")

    def has_add_permission(self, request: object) -> bool:
        return False
