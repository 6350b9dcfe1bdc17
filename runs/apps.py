from __future__ import annotations

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from health.monitoring import hooks
        from runs.services import proof

        hooks.proofs.register(proof.PROOF)
