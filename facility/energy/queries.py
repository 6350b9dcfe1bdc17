"""Energy, cost and CO₂ by whom it was for, added up in the database."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import connection

from facility.findings.models import Policy
from facility.judgement.energy import Energy

MOST_ROWS = 500
SLIGHT_KWH = 1e-6
"""Sums in another order differ by their last digits."""
_POOL = (
    "coalesce(coalesce(day.pool_id, health.pool_id)::text, 'none')",
    "CASE WHEN pool.id IS NOT NULL THEN pool.role || ' · ' || model.slug WHEN day.pool_id IS NULL THEN 'No pool' "
    "ELSE 'pool ' || day.pool_id || ', not kept any more' END",
)
_KEYS = {
    "run": ("coalesce(day.job_id::text, 'idle')",
            "CASE WHEN day.job_id IS NULL THEN 'Idle' WHEN job.id IS NULL THEN 'job ' || day.job_id || "
            "', not kept any more' ELSE coalesce(nullif(job.label, ''), job.job_id) || "
            "coalesce(' ' || nullif(job.name, ''), '') END"),
    "group": ("CASE WHEN day.job_id IS NULL THEN 'idle' WHEN job.id IS NULL THEN 'gone' "
              "ELSE coalesce(nullif(job.account, ''), 'none') END",
              "CASE WHEN day.job_id IS NULL THEN 'Idle' WHEN job.id IS NULL THEN 'jobs that are not kept any more' "
              "ELSE coalesce(nullif(job.account, ''), 'No group') END"),
    "pool": _POOL,
    "rack": ("coalesce(coalesce(day.rack_id, placement.rack_id)::text, 'none')",
             "CASE WHEN rack.id IS NOT NULL THEN rack.name WHEN day.rack_id IS NULL THEN 'No rack' "
             "ELSE 'rack ' || day.rack_id || ', not kept any more' END"),
    "month": ("to_char(day.day, 'YYYY-MM')", "to_char(day.day, 'YYYY-MM')"),
    "idle": _POOL,
}  # fmt: skip
"""What is added up by: the key of a row and its name. Idle time is added up by pool."""
ROWS = """
SELECT {key}, {name}, count(DISTINCT day.machine_id), sum(day.outlet_kwh), sum(day.bmc_kwh), sum(day.model_kwh),
    sum(day.cost) FILTER (WHERE day.currency = %(currency)s),
    coalesce(sum(day.outlet_kwh + day.bmc_kwh + day.model_kwh) FILTER (WHERE day.currency <> %(currency)s), 0),
    sum(day.co2_kg), sum(day.outlet_kwh + day.bmc_kwh + day.model_kwh - day.co2_kwh), sum(day.total_s),
    sum(day.unknown_s)
FROM facility_energyday day
LEFT JOIN health_schedulerjob job ON job.id = day.job_id
LEFT JOIN health_machinehealth health ON health.machine_id = day.machine_id
LEFT JOIN health_pool pool ON pool.id = coalesce(day.pool_id, health.pool_id)
LEFT JOIN inventory_devicemodel model ON model.id = pool.model_id
LEFT JOIN inventory_placement placement ON placement.device_id = day.machine_id
LEFT JOIN inventory_rack rack ON rack.id = coalesce(day.rack_id, placement.rack_id)
WHERE day.site_id = %(site)s AND day.day >= %(begin)s AND day.day < %(end)s {where}
GROUP BY 1, 2 ORDER BY sum(day.outlet_kwh + day.bmc_kwh + day.model_kwh) DESC, 1 LIMIT %(most)s
"""


def energy_by(
    site_id: int, by: str, begin: date, end: date, currency: str, *, running: bool = False
) -> list[dict[str, Any]]:
    """Rows from the most energy on, for whole days (UTC) up to `end`. One statement. `running`: of jobs that run.

    Cost is what was paid in `currency`, of what was written down while the site had a tariff in it.
    """
    key, name = _KEYS[by]
    params: dict[str, Any] = {"site": site_id, "begin": begin, "end": end, "most": MOST_ROWS, "currency": currency}
    with connection.cursor() as cursor:
        cursor.execute(ROWS.format(key=key, name=name, where=_where(by, running)), params)
        return [_row(*row) for row in cursor.fetchall()]


def total(site_id: int, by: str, begin: date, end: date, currency: str, *, running: bool = False) -> dict[str, Any]:
    """All of them together, those beyond the most that are listed too. One statement."""
    params: dict[str, Any] = {"site": site_id, "begin": begin, "end": end, "most": 1, "currency": currency}
    with connection.cursor() as cursor:
        cursor.execute(ROWS.format(key="''", name="'All'", where=_where(by, running)), params)
        row = cursor.fetchone()
    return _row(*row) if row is not None else _row("", "All", 0, 0.0, 0.0, 0.0, None, 0.0, None, 0.0, 0.0, 0.0)


def _where(by: str, running: bool) -> str:
    if running:
        return "AND job.id IS NOT NULL AND job.ended_at IS NULL"
    return "AND day.job_id IS NULL" if by == "idle" else ""


def _row(
    key: str, name: str, machines: int, outlet: float, bmc: float, model: float, cost: float | None,
    unpriced_kwh: float, co2_kg: float | None, unrated_kwh: float, total_s: float, unknown_s: float,
) -> dict[str, Any]:  # fmt: skip
    told = {"outlet": outlet, "bmc": bmc, "model": model}
    energy = Energy({method: kwh for method, kwh in told.items() if kwh}, total_s, unknown_s)  # type: ignore[misc]
    return {
        "key": key, "name": name, "machines": machines, "kwh": energy.kwh, "at_least": unknown_s > 0, "cost": cost,
        "cost_at_least": unknown_s > 0 or unpriced_kwh > SLIGHT_KWH, "co2_kg": co2_kg,
        "co2_at_least": unknown_s > 0 or unrated_kwh > SLIGHT_KWH, "method": energy.stated(),
        "error_percent": energy.error_percent, "unknown_share": energy.unknown_share,
    }  # fmt: skip


def prices(policy: Policy) -> dict[str, Any]:
    return {
        "currency": policy.currency,
        "tariff_per_kwh": float(policy.tariff_per_kwh) if policy.tariff_per_kwh is not None else None,
        "co2_g_per_kwh": policy.co2_g_per_kwh,
    }
