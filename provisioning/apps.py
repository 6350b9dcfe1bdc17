from django.apps import AppConfig


class ProvisioningConfig(AppConfig):
    name = "provisioning"

    def ready(self) -> None:
        from core.work.kinds import kinds
        from health.remediation.executors import register
        from provisioning import handlers  # noqa: F401  (registers event handlers)
        from provisioning.discovery import work
        from provisioning.remedies import Reimage
        from provisioning.services import leases

        kinds.register(leases.WORK, work.WORK)
        register("reimage", Reimage())
