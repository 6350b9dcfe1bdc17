from __future__ import annotations

from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from core.work.kinds import kinds
        from health.monitoring import hooks
        from runs.machines import images
        from runs.services import collections, proof

        hooks.proofs.register(proof.PROOF)
        hooks.image_users.register(images.users_of)
        kinds.register(collections.WORK)
