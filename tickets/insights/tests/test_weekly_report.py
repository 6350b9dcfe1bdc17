"""The weekly report: planned once, sent through a real SMTP server, the same numbers as the page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, RoleGrant, Site, User
from facility.energy.models import EnergyDay
from facility.energy.slowed import SlowedHours
from health.tests import factories as make
from inventory.models import Machine
from inventory.papers.tests.pdf import pages
from tickets.insights import services
from tickets.insights.models import ReportMail, ReportSubscription
from tickets.insights.report import document
from tickets.insights.report.weeks import last_week
from tickets.insights.tests.mail_server import MailServer, mail_server
from tickets.insights.tests.past_tickets import make_closed
from tickets.tests.conftest import person

pytestmark = pytest.mark.django_db
MONDAY = datetime(2026, 3, 9, 6, 30, tzinfo=UTC)


@pytest.fixture
def machine(db: None) -> Machine:
    return make.make_machines(1)[0]


@pytest.fixture
def site(machine: Machine) -> Site:
    return machine.device.site


@pytest.fixture
def lead(site: Site) -> User:
    user = person("lena")
    user.email = "lena@example.org"
    user.save()
    return user


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with mail_server() as server:
        settings.EMAIL_BACKEND, settings.EMAIL_SENT_BY = (
            "core.mail.UnlessPaused", "django.core.mail.backends.smtp.EmailBackend",
        )  # fmt: skip
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        yield server


def due(mail: ReportMail) -> None:
    ReportMail.objects.filter(pk=mail.pk).update(next_try_at=timezone.now() - timedelta(minutes=1))


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_subscriber_gets_one_mail_a_week_however_often_it_is_planned(site: Site, lead: User) -> None:
    ReportSubscription.objects.create(site=site, user=lead, since=MONDAY - timedelta(days=8))
    assert services.plan_reports(MONDAY - timedelta(hours=1)) == 0  # not seven o'clock yet
    assert [services.plan_reports(MONDAY + timedelta(hours=hour)) for hour in (1, 2, 60)] == [1, 0, 0]
    weeks = list(ReportMail.objects.order_by("week").values_list("week", flat=True))
    assert [str(week) for week in weeks] == ["2026-03-02"]


def test_who_subscribes_on_tuesday_waits_for_the_next_monday(site: Site, lead: User) -> None:
    ReportSubscription.objects.create(site=site, user=lead, since=MONDAY + timedelta(days=1))
    assert services.plan_reports(MONDAY + timedelta(days=2)) == 0
    assert services.plan_reports(MONDAY + timedelta(days=7, hours=1)) == 1


def test_nothing_is_planned_while_nobody_subscribed(site: Site) -> None:
    assert services.plan_reports(MONDAY + timedelta(hours=1)) == 0 and not ReportMail.objects.exists()


def test_the_mail_arrives_with_its_figures_and_the_pdf(
    machine: Machine, site: Site, lead: User, server: MailServer
) -> None:
    make_closed(machine, 400, took=timedelta(hours=6))
    week = last_week(timezone.now(), document.ZoneInfo(site.timezone))
    mail = services.ask_for_report(site.pk, lead, week)
    assert services.ask_for_report(site.pk, lead, week).pk == mail.pk  # pressed twice is asked once
    assert services.send(mail.pk) == "sent" and services.send(mail.pk) == "busy"
    (message,) = server.mails
    parts: Any = message.get_payload()
    text, attached = parts
    assert message["To"] == "lena@example.org" and f"{week:%Y-%m-%d}" in str(message["Subject"])
    told = document.report(site, week)
    assert told.told.times["verified"].n == 168
    assert "median 6.0 h, 90 % within 6.0 h (168 tickets)" in text.get_payload(decode=True).decode()
    assert attached.get_payload(decode=True) == told.pdf() and attached.get_filename() == told.file_name
    mail.refresh_from_db()
    assert mail.status == "sent" and mail.sent_at is not None


def test_a_server_that_refuses_is_asked_again_with_the_same_message_id(
    site: Site, lead: User, server: MailServer
) -> None:
    mail = services.ask_for_report(site.pk, lead, last_week(MONDAY, document.ZoneInfo("UTC")))
    server.refuses = True
    assert services.send(mail.pk) == "failed"
    mail.refresh_from_db()
    assert mail.status == "waiting" and mail.attempts == 1 and "451" in mail.error
    first = services.letter(mail).extra_headers["Message-ID"]
    server.refuses = False
    due(mail)
    assert services.send(mail.pk) == "sent" and server.mails[0]["Message-ID"] == first


def test_who_may_no_longer_see_the_site_gets_nothing(site: Site, lead: User, server: MailServer) -> None:
    mail = services.ask_for_report(site.pk, lead, last_week(MONDAY, document.ZoneInfo("UTC")))
    RoleGrant.objects.filter(user=lead).delete()
    assert services.send(mail.pk) == "skipped" and not server.mails


def test_a_paused_instance_sends_nothing_and_the_mail_stays_due(site: Site, lead: User, server: MailServer) -> None:
    mail = services.ask_for_report(site.pk, lead, last_week(MONDAY, document.ZoneInfo("UTC")))
    with patch("core.mail.state.is_paused", return_value=True):
        assert services.send(mail.pk) == "failed"
    mail.refresh_from_db()
    assert mail.status == "waiting" and mail.attempts == 0 and not server.mails


def test_the_pdf_tells_the_numbers_of_the_page(machine: Machine, site: Site, lead: User) -> None:
    make_closed(machine, 400, took=timedelta(hours=6))
    client = client_of(lead)
    pdf = client.get("/api/insight/report.pdf", {"site": site.pk})
    assert pdf["Content-Type"] == "application/pdf" and pdf.content.startswith(b"%PDF")
    text = "\n".join(text for page in pages(pdf.content) for text in page.texts)
    week = last_week(timezone.now(), document.ZoneInfo(site.timezone))
    begin, end = document.span_of(week, document.ZoneInfo(site.timezone))
    asked: dict[str, Any] = {"site": site.pk, "from": begin.isoformat(), "to": end.isoformat()}
    body = client.get("/api/insight/", asked).json()
    closed = sum(each["closed"] for each in body["weeks"])
    assert closed == 168 and f"Tickets closed\n{closed}" in text and f"{body['times']['verified']['n']} tickets" in text
    assert "gpu.gone" in text and "too little data" not in text.split("Reopened")[0]


def test_a_site_without_tickets_has_a_report_that_says_so(site: Site) -> None:
    report = document.report(site, last_week(MONDAY, document.ZoneInfo("UTC")))
    assert "too little data (0 of at least 5)" in report.text and report.pdf().startswith(b"%PDF")
    assert "Cost" not in report.text


def used(site: Site, machine: Machine, week: date, **told: Any) -> None:
    """A day of one machine in this week."""
    usual = {"day": week + timedelta(days=3), "currency": "EUR", "total_s": 86_400}
    EnergyDay.objects.create(**(usual | {"site_id": site.pk, "machine_id": machine.pk} | told))


def test_the_week_tells_energy_cost_and_co2_and_what_of_it_was_idle(machine: Machine, site: Site) -> None:
    week = last_week(MONDAY, document.ZoneInfo("UTC"))
    used(site, machine, week, job_id=7, outlet_kwh=3_000, cost=600, co2_kg=1_200, co2_kwh=3_000)
    used(site, machine, week, bmc_kwh=1_000, cost=200, co2_kg=400, co2_kwh=1_000)
    used(site, machine, week, day=week + timedelta(days=7), bmc_kwh=50_000, cost=10_000)  # of the next week
    used(site, machine, week, day=week - timedelta(days=1), bmc_kwh=50_000, cost=10_000)
    report = document.report(site, week)
    energy = dict(report.energy)
    assert energy == {
        "Energy of machines": "4,000 kWh (outlets and BMC, ± 3 %)",
        "Cost of energy": "800 EUR",
        "CO2": "1.6 t",
        "Energy of idle machines": "1,000 kWh",
        "Cost of idle machines": "200 EUR",
    }
    drawn = "\n".join(text for page in pages(report.pdf()) for text in page.texts)
    for name, value in energy.items():
        assert f"{name}: {value}" in report.text and name in drawn and value in drawn


def test_a_week_that_was_measured_or_priced_in_part_says_at_least(machine: Machine, site: Site) -> None:
    week = last_week(MONDAY, document.ZoneInfo("UTC"))
    used(site, machine, week, job_id=7, outlet_kwh=3_000, cost=600, co2_kg=1_200, co2_kwh=3_000)
    used(site, machine, week, bmc_kwh=1_000, cost=200, unknown_s=8_640)
    energy = dict(document.report(site, week).energy)
    assert (
        energy["Energy of machines"].startswith("at least 4,000 kWh (") and "not known" in energy["Energy of machines"]
    )
    assert (energy["Cost of energy"], energy["CO2"]) == ("at least 800 EUR", "at least 1.2 t")
    assert energy["Energy of idle machines"] == "at least 1,000 kWh"
    assert energy["Cost of idle machines"] == "at least 200 EUR"


def test_gpu_hours_slowed_in_the_week_say_at_least_where_some_were_not_told(machine: Machine, site: Site) -> None:
    week = last_week(MONDAY, document.ZoneInfo("UTC"))
    used(site, machine, week, bmc_kwh=1_000)
    slowed = SlowedHours(12.34, 0.0, None, hot_at_least=True, braked_at_least=False, capped_at_least=False)
    with patch("tickets.insights.report.energy.slowed_hours", return_value=slowed):
        energy = dict(document.report(site, week).energy)
    assert (energy["GPU-hours slowed by heat"], energy["by the power brake"]) == ("at least 12.3", "0.0")


def test_a_week_without_a_tariff_has_energy_and_no_cost(machine: Machine, site: Site) -> None:
    week = last_week(MONDAY, document.ZoneInfo("UTC"))
    used(site, machine, week, bmc_kwh=1_000, currency="")
    energy = dict(document.report(site, week).energy)
    assert energy == {"Energy of machines": "1,000 kWh (BMC, ± 5 %)", "Energy of idle machines": "1,000 kWh"}


def test_a_week_in_which_nothing_was_measured_says_so(machine: Machine, site: Site) -> None:
    week = last_week(MONDAY, document.ZoneInfo("UTC"))
    assert "Energy of machines: not measured" in document.report(site, week).text
    used(site, machine, week, unknown_s=86_400, currency="")
    assert list(document.report(site, week).energy) == [("Energy of machines", "not measured")]


def test_who_has_no_address_is_told_so(site: Site, tina: User) -> None:
    client = client_of(tina)
    asked = client.put(f"/api/insight/report/subscription/?site={site.pk}", {"subscribed": True}, "application/json")
    assert asked.status_code == 409 and "no mail address" in asked.json()["error"]["message"]
    assert client.post(f"/api/insight/report/send/?site={site.pk}").status_code == 409


def test_a_person_subscribes_for_themselves_and_ends_it(site: Site, lead: User) -> None:
    client = client_of(lead)

    def put(wanted: bool) -> Any:
        path = f"/api/insight/report/subscription/?site={site.pk}"
        return client.put(path, {"subscribed": wanted}, "application/json").json()

    body = put(True)
    assert body["subscribed"] and [row["name"] for row in body["subscribers"]] == [lead.display_name()]
    assert put(True)["subscribed"] and ReportSubscription.objects.count() == 1
    assert not put(False)["subscribed"] and not ReportSubscription.objects.exists()


def test_a_person_asks_for_a_report_only_of_a_site_they_see(site: Site, lead: User) -> None:
    stranger = person("sam", Role.ADMIN, Site.objects.create(slug="other", name="Other"))
    assert client_of(stranger).post(f"/api/insight/report/send/?site={site.pk}").status_code == 404
    body = client_of(lead).post(f"/api/insight/report/send/?site={site.pk}&week=2026-01-07").json()
    assert body["status"] == "waiting" and body["week"] == "2026-01-05"
