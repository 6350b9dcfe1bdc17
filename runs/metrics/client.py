"""The client of a site's Prometheus, with its login and whom it trusts."""

from __future__ import annotations

from access.logins import opened_by_id
from core.outgoing.binding import Purpose, Refused
from core.outgoing.permits import permit
from drivers.https import trust_of
from drivers.prometheus.client import PrometheusClient, basic
from runs.models import MetricsSource


class NotReachable(Exception):
    """Why nothing can be asked, before anything is sent."""


def client_of(source: MetricsSource, *, total_s: float = 30) -> PrometheusClient:
    """Raises NotReachable."""
    authorization = ""
    try:
        if source.credential_id is None:
            gate = permit(None, None, source.url, site=source.site_id)
        else:
            login = opened_by_id(source.credential_id, Purpose.PROMETHEUS, site=source.site_id).at(source.url)
            gate = login.gate
            signed = basic(login.username, login.secret)
            authorization = signed if source.sign_in == MetricsSource.SignIn.BASIC else f"Bearer {login.secret}"
        trust = trust_of(source.authorities)
    except (Refused, ValueError) as error:
        raise NotReachable(str(error)) from error
    return PrometheusClient(source.url, authorization=authorization, trust=trust, total_s=total_s, gate=gate)
