"""HTTP and WebSocket entry point: `uvicorn config.asgi:application`."""

import os

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if settings.OFFLINE:  # the key that offline commands run with is no secret: sessions signed by it could be forged
    raise ImproperlyConfigured("RACKSIDE_SECRET_KEY is not set")
if os.environ.get("RACKSIDE_DATABASE_POOL") == "1":  # not in settings: a forked process has read those before
    database = settings.DATABASES["default"]
    database |= {"OPTIONS": {**database["OPTIONS"], "pool": settings.DATABASE_POOL}, "CONN_MAX_AGE": 0}
django.setup(set_prefix=False)

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator

from config import celery, heap
from config.body_limit import BodyLimit
from config.http_handler import OneThreadHandler
from config.proxies import TrustedProxies
from core.http.parsers import MOST_BYTES
from health.external.fast_path import FastPath
from live.routing import websocket_urlpatterns

FORM_OVERHEAD = 1024 * 1024
LARGEST_BODY = max(settings.IMPORT_MAX_MB * 2**20, settings.ATTACHMENT_MAX_BYTES, MOST_BYTES) + FORM_OVERHEAD

application = TrustedProxies(
    ProtocolTypeRouter(
        {
            "http": BodyLimit(FastPath(OneThreadHandler()), LARGEST_BODY),
            "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
        }
    ),
    settings.TRUSTED_PROXIES,
)
_ = get_resolver().url_patterns  # imports every view now, and not in the first request
celery.app.loader.import_default_modules()  # and every task, for the first write
heap.freeze()
