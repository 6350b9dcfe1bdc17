from django.apps import AppConfig


class HttpConfig(AppConfig):
    name = "core.http"
    label = "core_http"
