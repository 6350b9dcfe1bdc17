"""Administration of the inventory: looking only. Writes go through services, fleet files and the API."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest

from inventory import models


class LookingOnly(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.Room)
class RoomAdmin(LookingOnly):
    list_display = ("name", "site")
    list_filter = ("site",)


@admin.register(models.Rack)
class RackAdmin(LookingOnly):
    list_display = ("name", "room", "row", "role", "height_u")
    list_filter = ("room__site", "room", "role")
    search_fields = ("name",)
    list_select_related = ("room", "row")


@admin.register(models.DeviceModel)
class DeviceModelAdmin(LookingOnly):
    list_display = ("slug", "vendor", "name", "kind")
    list_filter = ("kind", "vendor")


@admin.register(models.Device)
class DeviceAdmin(LookingOnly):
    list_display = ("name", "kind", "model", "status", "serial", "site")
    list_filter = ("site", "kind", "status", "model")
    search_fields = ("name", "serial", "asset_tag")
    list_select_related = ("model", "site")


@admin.register(models.Component)
class ComponentAdmin(LookingOnly):
    list_display = ("serial", "kind", "vendor", "part_number", "site")
    list_filter = ("site", "kind")
    search_fields = ("serial",)
    list_select_related: ClassVar = ["site"]


@admin.register(models.Cable)
class CableAdmin(LookingOnly):
    list_display = ("label", "type", "status", "length_m", "site")
    list_filter = ("site", "type", "status")
    search_fields = ("label",)
    list_select_related: ClassVar = ["site"]
