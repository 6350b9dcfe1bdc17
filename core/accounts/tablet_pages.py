"""Pages of shared tablets: the lock screen, a person's own PIN, and which tablets a site has."""

from __future__ import annotations

from typing import cast

from allauth.account.decorators import reauthentication_required
from allauth.account.utils import get_next_redirect_url
from allauth.account.views import login as password_login
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods

from core.accounts import tablets
from core.accounts.scope import allows, granted_roles, visible_sites
from core.models import Pin, Role, Site, Tablet, User

KEPT_S = 400 * 86400
"""The longest that browsers keep a cookie."""
BACKEND = "django.contrib.auth.backends.ModelBackend"
FORM = require_http_methods(["GET", "POST"])


def sign_in(request: HttpRequest) -> HttpResponseBase:
    """At a tablet the lock screen comes first; from there a link leads to the password."""
    wants_password = "password" in request.GET
    if request.method == "GET" and not wants_password and not request.user.is_authenticated and _tablet(request):
        return redirect(f"/accounts/tablet/?{request.GET.urlencode()}")
    return cast(HttpResponseBase, password_login(request))


@FORM
def lock_screen(request: HttpRequest) -> HttpResponse:
    """Who stands there, then the PIN."""
    tablet = _tablet(request)
    if tablet is None:
        return redirect("account_login")
    problem, chosen = "", request.POST.get("user", "")
    if request.method == "POST" and "pin" in request.POST:
        try:
            user = tablets.open_with(tablet, _number(chosen), request.POST["pin"])
        except tablets.Refused as refused:
            problem = str(refused)
        else:
            login(request, user, backend=BACKEND)
            tablets.begin(request.session, tablet, user)
            return redirect(_next(request))
    people = tablets.people_of(tablet)
    person = people.filter(pk=_number(chosen)).first()
    shown = {"tablet": tablet, "people": people, "person": person, "problem": problem, "next": _next(request)}
    return render(request, "account/tablet_lock.html", shown, status=403 if problem else 200)


@FORM
@login_required
@reauthentication_required
def pin(request: HttpRequest) -> HttpResponse:
    """A person's own PIN."""
    user = cast(User, request.user)
    problem = ""
    if request.method == "POST":
        try:
            if "remove" in request.POST:
                tablets.forget_pin(user)
                messages.success(request, "Your PIN is removed.")
            elif request.POST.get("pin") != request.POST.get("again"):
                raise tablets.Refused("These are two different PINs.")
            else:
                tablets.set_pin(user, request.POST.get("pin", ""))
                messages.success(request, "Your PIN is set. It opens tablets that a site of yours shares.")
            return redirect("pin")
        except tablets.Refused as refused:
            problem = str(refused)
    known = Pin.objects.filter(user=user).first()
    shown = {"problem": problem, "known": known, "ended": known is not None and known.misses >= tablets.MOST_MISSES}
    return render(request, "account/pin.html", shown, status=400 if problem else 200)


@FORM
@login_required
@reauthentication_required
def shared(request: HttpRequest) -> HttpResponse:
    """The tablets of the sites that one operates; this device becomes one, or one is shared no more."""
    user = cast(User, request.user)
    sites = _operated(user)
    problem = ""
    if request.method == "POST" and "end" in request.POST:
        get_object_or_404(Tablet, pk=_number(request.POST["end"]), site__in=sites).delete()
        messages.success(request, "It is shared no more; who was signed in there is signed out.")
        return redirect("tablets")
    if request.method == "POST":
        site = get_object_or_404(sites, pk=_number(request.POST.get("site", "")))
        try:
            secret = tablets.share(site, request.POST.get("name", ""), by=user)
        except tablets.Refused as refused:
            problem = str(refused)
        else:
            logout(request)
            answer = redirect("tablet")
            answer.set_cookie(
                tablets.COOKIE, secret, KEPT_S,
                path="/accounts/", secure=settings.SESSION_COOKIE_SECURE, httponly=True, samesite="Lax",
            )  # fmt: skip
            return answer
    rows = Tablet.objects.filter(site__in=sites).select_related("site", "shared_by")
    shown = {"sites": sites, "tablets": rows, "problem": problem}
    return render(request, "account/tablets.html", shown, status=400 if problem else 200)


def _tablet(request: HttpRequest) -> Tablet | None:
    return tablets.tablet_of(request.COOKIES.get(tablets.COOKIE, ""))


def _number(text: str) -> int:
    """The id of a form's field; one that no record has where it is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _operated(user: User) -> QuerySet[Site]:
    roles = granted_roles(user)
    seen = visible_sites(roles)
    return seen.filter(pk__in=[site.pk for site in seen if allows(roles, site.pk, Role.OPERATOR)]).order_by("name")


def _next(request: HttpRequest) -> str:
    return get_next_redirect_url(request) or "/"


urlpatterns = [
    path("login/", sign_in),
    path("tablet/", lock_screen, name="tablet"),
    path("tablets/", shared, name="tablets"),
    path("pin/", pin, name="pin"),
]
