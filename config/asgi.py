"""HTTP and WebSocket entry point: `uvicorn config.asgi:application`."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.exceptions import ImproperlyConfigured
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
if settings.OFFLINE:  # the key that offline commands run with is no secret: sessions signed by it could be forged
    raise ImproperlyConfigured("RACKSIDE_SECRET_KEY is not set")
http = get_asgi_application()

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator

from config import heap
from live.routing import websocket_urlpatterns

application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)
_ = get_resolver().url_patterns  # imports every view now, and not in the first request
heap.freeze()
