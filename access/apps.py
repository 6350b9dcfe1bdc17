from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "access"

    def ready(self) -> None:
        from access.netbox import connect
        from inventory.netbox import source

        source.register(connect)
