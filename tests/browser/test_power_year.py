"""What history looks like: a year as a heat map, and PUE by hour. Its days are written down as roll-ups make them; the
demo is too young to have any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Demo
from tests.browser.pictures import picture
from tests.browser.warm_hall import JUDGE

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

# IT draws 300 kW at midnight and 10 kW more every hour, and the afternoons of January are not known; three days before
# today the whole site draws 1.55 times that, from noon on 1.75 times, and ten minutes alone are known of one hour.
DAYS = """
from django.db import connection
from facility.meters.models import Layout, Meter
layout, _ = Layout.objects.get_or_create(
    digest="made by a test", points=[["total", "site", "power_w"], ["total", "it", "power_w"]])
with connection.cursor() as cursor:
    cursor.execute('''
WITH hour AS (
    SELECT day, h, 300000 + 10000 * h AS it_w, CASE WHEN h < 12 THEN 1.55 ELSE 1.75 END AS pue,
        CASE WHEN extract(month FROM day) = 1 AND day < today - interval '3 days' AND h >= 12 THEN 0
            WHEN day = today - interval '1 day' AND h = 5 THEN 600 ELSE 3600 END AS covered
    FROM (SELECT date_trunc('day', now(), 'UTC') AS today) clock CROSS JOIN LATERAL (
        SELECT generate_series(date_trunc('year', today, 'UTC') - interval '1 year',
            date_trunc('year', today, 'UTC') - interval '1 day', interval '1 day') AS day
        UNION SELECT generate_series(today - interval '3 days', today - interval '1 day', interval '1 day')
    ) days CROSS JOIN generate_series(0, 23) h
), point AS (
    SELECT day, 1 AS n, h, it_w * pue AS watts, covered FROM hour UNION ALL SELECT day, 2, h, it_w, covered FROM hour
)
INSERT INTO facility_day (meter_id, at, layout_id, covered, mean, low, high)
SELECT %s, day, %s, array_agg(covered ORDER BY n, h),
    array_agg(CASE WHEN covered > 0 THEN watts END ORDER BY n, h), '{0,0}', '{1,1}' FROM point GROUP BY day''',
        [Meter.objects.get(kind="site").pk, layout.pk])
    cursor.execute('''
INSERT INTO facility_rolledup VALUES ('day', date_trunc('day', now(), 'UTC'))
ON CONFLICT (name) DO UPDATE SET until = greatest(facility_rolledup.until, excluded.until)''')
"""
NO_DAYS = """
from django.db import connection
from facility.meters.models import Layout
with connection.cursor() as cursor:
    cursor.execute("DELETE FROM facility_day USING facility_layout layout WHERE layout.id = layout_id AND digest = %s",
        ["made by a test"])
Layout.objects.filter(digest="made by a test").delete()
"""
LAST_YEAR = datetime.now(UTC).year - 1
COLOUR = """(canvas, [day, hour, x, y]) => {
    const scale = canvas.width / canvas.clientWidth;
    const spot = canvas.getContext("2d").getImageData((day * 3 + x) * scale, (hour * 8 + y) * scale, 1, 1).data;
    return `rgb(${spot[0]}, ${spot[1]}, ${spot[2]})`;
}"""


@pytest.fixture
def days(demo: Demo) -> Iterator[None]:
    demo.python(JUDGE)  # makes the meter of the site
    demo.python(DAYS)
    yield
    demo.python(NO_DAYS)


def step(card: Locator, number: int) -> str:
    """The colour of a step in the legend."""
    colour: str = card.locator(f".legend .step{number}").evaluate("each => getComputedStyle(each).backgroundColor")
    return colour


def test_a_year_is_a_map_of_coloured_hours_whose_legend_has_its_unit(
    days: None, demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("technician", at="/power/energy").page
    card = page.get_by_test_id("year")
    card.get_by_role("button", name="The year before").click()
    year_map = page.get_by_test_id("year-map")
    expect(year_map).to_have_attribute("aria-label", re.compile(rf"of {LAST_YEAR} by day and hour"))
    legend = card.get_by_role("list", name="Legend, kW")
    expect(legend.get_by_role("listitem")).to_have_text(
        ["300–338", "338–377", "377–415", "415–453", "453–492", "492–530", "kW", "·not known"]
    )
    canvas = year_map.locator("canvas")

    def colour(day: int, hour: int, x: int = 1, y: int = 1) -> str:
        found: str = canvas.evaluate(COLOUR, [day, hour, x, y])
        return found

    for day in (0, 40, 200, 364):
        assert [colour(day, hour) for hour in (0, 11)] == [step(card, 1), step(card, 3)], day
    assert [colour(day, 23) for day in (40, 200, 364)] == [step(card, 6)] * 3
    steps = {step(card, number) for number in range(1, 7)}
    assert len(steps) == 6 and colour(10, 12) not in steps, "an afternoon of January is not known"
    year_map.focus()
    reading = page.get_by_test_id("year-reading")
    expect(reading).to_have_text(re.compile(r"1 Jan, 00:00–01:00 UTC: 300 kW"))
    page.keyboard.press("ArrowUp")
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    expect(reading).to_have_text(re.compile(r"1 Jan, 12:00–13:00 UTC: not measured"))
    picture(page, tmp_path / "year.png", full_page=True)


def test_pue_is_drawn_by_hour_and_an_hour_that_is_known_in_part_has_none(
    days: None, demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("technician", at="/power/energy").page
    card = page.get_by_test_id("pue")
    expect(card.get_by_role("img")).to_have_attribute("aria-label", re.compile(r"^PUE in by hour"))
    expect(card.locator("canvas")).to_be_visible()
    card.get_by_text("Values as a table").click()
    cells = card.get_by_role("cell")
    expect(cells.get_by_text("1.55", exact=True)).to_have_count(3 * 12 - 1)
    expect(cells.get_by_text("1.75", exact=True)).to_have_count(3 * 12)
    expect(cells.get_by_text("–", exact=True).first).to_be_visible()
    picture(page, tmp_path / "pue.png")
