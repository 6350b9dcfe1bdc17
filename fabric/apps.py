from __future__ import annotations

from django.apps import AppConfig


class FabricConfig(AppConfig):
    name = "fabric"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from fabric import handlers, registrations, search  # noqa: F401  (they register themselves)

        registrations.register()
