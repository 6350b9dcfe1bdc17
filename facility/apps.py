from __future__ import annotations

from django.apps import AppConfig


class FacilityConfig(AppConfig):
    name = "facility"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from facility import registrations

        registrations.register()
