from django.apps import AppConfig


class InventoryConfig(AppConfig):
    name = "inventory"

    def ready(self) -> None:
        from core.work.kinds import kinds
        from inventory import attachments
        from inventory.kinds import named
        from inventory.netbox import run
        from inventory.search import places

        attachments.register()
        named.register()
        kinds.register(run.WORK)
        places.register()
