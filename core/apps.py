from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate
from django.utils.module_loading import autodiscover_modules


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        from core.audit import cursors, own_tables, task_actor, triggers  # noqa: F401  (declares; connects to signals)

        autodiscover_modules("audit")  # what is kept of the tables of each room
        connection_created.connect(cursors.use_acting_cursors, dispatch_uid="core.audit")
        post_migrate.connect(triggers.install, sender=self, dispatch_uid="core.audit")

        from core import registrations, system_checks  # noqa: F401  (its models; registers checks)
        from core.instance import state
        from live import relay

        post_migrate.connect(state.adopt, sender=self, dispatch_uid="core.instance")
        relay.every_few_seconds(state.note)
        registrations.register()
