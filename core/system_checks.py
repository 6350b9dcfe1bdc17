"""What `manage.py check --deploy --database default` warns of: settings that work, and let somebody in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register

from core.models import Credential


@register(Tags.security, deploy=True)
def https_needs_a_trusted_proxy(**_: Any) -> list[CheckMessage]:
    """HTTPS is told by the header of a proxy, which is believed only from a trusted one."""
    if not settings.PUBLIC_URL.startswith("https://") or settings.TRUSTED_PROXIES:
        return []
    text = "The service is reached by HTTPS, but no proxy is trusted: requests count as plain HTTP, from the proxy."
    return [Warning(text, hint="Set RACKSIDE_TRUSTED_PROXIES to the proxy's address.", id="core.W001")]


@register(Tags.database, deploy=True)
def passwords_have_hosts(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """A password that was stored before passwords had hosts is sent nowhere."""
    names = Credential.objects.filter(kind=Credential.Kind.PASSWORD, hosts=[]).order_by("name")
    return [
        Warning(
            f"The password {name} has no hosts: it is sent nowhere.",
            hint=f"manage.py set_credential {name} --bind --host 10.2.0.0/16",
            id="core.W002",
        )
        for name in names.values_list("name", flat=True)
    ]
