from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "core.webhooks"
    label = "webhooks"
