from django.apps import AppConfig


class HealthConfig(AppConfig):
    name = "health"

    def ready(self) -> None:
        from health import handlers, system_checks  # noqa: F401  (registers event handlers and checks)
        from health.services import watchdog
        from live import relay

        relay.every_few_seconds(watchdog.look)
        from health.remedies import builtin

        builtin.register_all()
