from django.apps import AppConfig


class HealthConfig(AppConfig):
    name = "health"

    def ready(self) -> None:
        from health import handlers, system_checks  # noqa: F401  (registers event handlers and checks)
