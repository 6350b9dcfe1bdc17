"""What booting machines ask for, without a login: the address or the token in the path is all they have.

Whatever is not expected is 404 without a reason, and logged with one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps

import structlog
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from core.instance import state
from provisioning import services
from provisioning.boot.files import normal_mac

log = structlog.get_logger(__name__)
MOST_OF_A_REPORT = 64 * 1024
MOST_OF_A_LOG = 128 * 1024
View = Callable[[HttpRequest, str], HttpResponseBase]


def refusals_are_404(view: View) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: str, **kwargs: str) -> HttpResponseBase:
        try:
            refuse_while_paused()
            response: HttpResponseBase = view(request, *args, **kwargs)
        except services.BootRefused:
            response = _text("not found\n", status=404)
        response["Cache-Control"] = "no-store"
        return response

    return guarded


def refuse_while_paused() -> None:
    """A copy installs nothing: a machine hears what one hears that nobody expects. Raises BootRefused."""
    if state.is_paused():
        log.warning("boot_refused", reason="this instance is paused")
        raise services.BootRefused("this instance is paused")


def _text(text: str, *, kind: str = "text/plain", status: int = 200) -> HttpResponse:
    return HttpResponse(text, content_type=f"{kind}; charset=utf-8", status=status)


def _address(request: HttpRequest) -> str | None:
    return request.META.get("REMOTE_ADDR") or None


@require_GET
@refusals_are_404
def boot_script(request: HttpRequest, mac: str) -> HttpResponse:
    """The iPXE script of the machine with this MAC address (`?serial=` also, for a machine without a known MAC)."""
    known = normal_mac(mac)
    if known is None:
        return unknown(request)
    serial = request.GET.get("serial", "")[:64]
    return _text(services.boot_script(known, serial=serial, address=_address(request)))


@require_GET
@refusals_are_404
def meta_data(request: HttpRequest, token: str) -> HttpResponse:
    return _text(services.meta_data(token, address=_address(request)), kind="text/yaml")


@require_GET
@refusals_are_404
def user_data(request: HttpRequest, token: str) -> HttpResponse:
    return _text(services.user_data(token, address=_address(request)), kind="text/yaml")


@require_GET
@refusals_are_404
def vendor_data(request: HttpRequest, token: str) -> HttpResponse:
    """Nothing; an installer that asks for it waits longer on a 404 than on an empty answer."""
    services.meta_data(token, address=_address(request))
    return _text("", kind="text/yaml")


@csrf_exempt
@require_POST
@refusals_are_404
def phone_home(request: HttpRequest, token: str) -> HttpResponse:
    """Form fields as cloud-init posts them, or a JSON object with the same names."""
    posted: dict[str, str] = {name: str(value) for name, value in request.POST.items()}
    if request.content_type == "application/json":
        try:
            body = json.loads(request.body)
        except ValueError:
            return _text("not JSON\n", status=400)
        posted = {str(name): str(value) for name, value in body.items()} if isinstance(body, dict) else {}
    services.phone_home(token, posted, address=_address(request))
    return _text("ok\n")


@csrf_exempt
@require_POST
@refusals_are_404
def installer_report(request: HttpRequest, token: str) -> HttpResponse:
    """One event of the installer, as curtin's webhook reporter posts it."""
    try:
        body = json.loads(request.body[:MOST_OF_A_REPORT])
    except ValueError:
        return _text("not JSON\n", status=400)
    services.installer_report(token, body if isinstance(body, dict) else {}, address=_address(request))
    return _text("ok\n")


@csrf_exempt
@require_POST
@refusals_are_404
def installer_log(request: HttpRequest, token: str) -> HttpResponse:
    """The ends of the logs of an installer that failed, as plain text."""
    text = request.body[-MOST_OF_A_LOG:].decode("utf-8", "replace")
    services.keep_installer_log(token, text, address=_address(request))
    return _text("ok\n")


@csrf_exempt
def unknown(request: HttpRequest) -> HttpResponse:
    log.warning("boot_refused", reason="no such path", path=request.path[:200], address=_address(request))
    return _text("not found\n", status=404)
