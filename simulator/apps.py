from django.apps import AppConfig


class SimulatorConfig(AppConfig):
    """An app only for its management commands: no models, and nothing of the service imports it."""

    name = "simulator"
    verbose_name = "Virtual hall"
