"""Administration of webhooks. Secrets are made and shown by the API only."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from core.webhooks import services
from core.webhooks.models import Delivery, Webhook


@admin.register(Webhook)
class WebhookAdmin(admin.ModelAdmin):
    list_display = ("name", "site", "url", "active", "inactive_reason")
    list_filter = ("site", "active")
    search_fields = ("name", "url")
    readonly_fields = ("name", "site", "url", "events", "inactive_reason", "timeout_s", "created_at", "created_by")
    fields = ("name", "site", "url", "events", "active", "inactive_reason", "timeout_s", "created_at", "created_by")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Delivery)
class DeliveryAdmin(admin.ModelAdmin):
    list_display = ("event", "webhook", "status", "attempts", "next_at", "response_status", "error", "created_at")
    list_filter = ("status", "webhook")
    list_select_related = ("webhook",)
    search_fields = ("event", "message")
    actions = ("replay",)
    readonly_fields = tuple(field.name for field in Delivery._meta.concrete_fields)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description="Send again")
    def replay(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        sent = services.replay(queryset)
        self.message_user(request, f"{sent} messages will be sent again.")
