from django.apps import AppConfig


class ProvisioningConfig(AppConfig):
    name = "provisioning"

    def ready(self) -> None:
        from core.work.kinds import kinds
        from health.remediation.executors import register
        from provisioning import handlers  # noqa: F401  (registers event handlers)
        from provisioning.remedies import Reimage
        from provisioning.services import leases
        from provisioning.software import services as software

        kinds.register(leases.WORK)
        kinds.register(software.WORK)
        register("reimage", Reimage())
