from django.apps import AppConfig


class InventoryConfig(AppConfig):
    name = "inventory"

    def ready(self) -> None:
        from inventory import attachments
        from inventory.kinds import named

        attachments.register()
        named.register()
