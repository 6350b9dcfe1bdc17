from django.apps import AppConfig


class HealthConfig(AppConfig):
    name = "health"

    def ready(self) -> None:
        from health import handlers  # noqa: F401  (registers event handlers and checks)
        from health.machines import system_checks  # noqa: F401  (registers event handlers and checks)
        from health.monitoring.services import watchdog
        from live import relay

        relay.every_few_seconds(watchdog.look)
        from health.remediation.executors import builtin

        builtin.register_all()
