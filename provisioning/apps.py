from django.apps import AppConfig


class ProvisioningConfig(AppConfig):
    name = "provisioning"

    def ready(self) -> None:
        from provisioning import handlers  # noqa: F401  (registers event handlers)
