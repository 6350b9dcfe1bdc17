from django.apps import AppConfig


class HealthConfig(AppConfig):
    name = "health"

    def ready(self) -> None:
        from health import handlers, registrations  # noqa: F401  (registers event handlers)
        from health.machines import system_checks  # noqa: F401  (registers checks)

        registrations.register()
