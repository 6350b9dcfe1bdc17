"""Settings, entry points and the embedded services of the one-command start."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
