from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "core.jobs"
    label = "core_jobs"
