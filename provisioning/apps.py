from django.apps import AppConfig


class ProvisioningConfig(AppConfig):
    name = "provisioning"
