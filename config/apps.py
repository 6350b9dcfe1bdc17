"""The Django app of the wiring itself."""

from django.apps import AppConfig

# Tasks belong to this application of Celery. It is loaded with Django and not with the package: the supervisor, its
# guard and health checks of containers need none of it, and would be twice as large.
from config import celery  # noqa: F401


class ConfigConfig(AppConfig):
    name = "config"
