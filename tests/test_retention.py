"""What is kept how long stands in one table, which sites can change and the documents show."""

from datetime import timedelta
from pathlib import Path

import pytest

from config.retention import FOR_EVER, KEPT_FOR_EVER, TABLE, read

OPERATIONS = Path(__file__).parents[1] / "docs" / "operations.md"


def test_the_documents_show_every_row_with_its_variable_and_default() -> None:
    text = OPERATIONS.read_text()
    for kept in TABLE:
        assert f"| `{kept.env}` | {kept.days} | {kept.what} |" in text
    for what, why in KEPT_FOR_EVER:
        assert f"| {what} | {why} |" in text


def test_a_site_sets_days_for_each_and_0_keeps_for_ever() -> None:
    given = {"RACKSIDE_KEEP_SAMPLES_DAYS": 90, "RACKSIDE_KEEP_SWEEPS_DAYS": 0}
    kept = read(given.get)
    assert (kept["samples"], kept["sweeps"], kept["history"]) == (timedelta(days=90), FOR_EVER, FOR_EVER)


@pytest.mark.parametrize("days", [-1, 2])
def test_fewer_days_than_the_service_needs_are_refused_by_name(days: int) -> None:
    with pytest.raises(ValueError, match="RACKSIDE_KEEP_SAMPLES_DAYS"):
        read(lambda name, default: days if name == "RACKSIDE_KEEP_SAMPLES_DAYS" else default)
