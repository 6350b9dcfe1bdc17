from django.db import migrations, models

CELLS = ("allocated", "available", "suspect", "failed", "drained", "repair", "provisioning", "off", "no_signal")
PLANNED = """
UPDATE health_machinehealth health SET cell = 'drained'
WHERE state IN ('draining', 'drained') AND NOT EXISTS (
    SELECT FROM health_fault fault
    WHERE fault.machine_id = health.machine_id AND fault.status = 'confirmed' AND fault.response NOT IN ('note', 'ticket')
)
"""


class Migration(migrations.Migration):
    """The words of a disruption budget, and a cell for machines drained for another reason than a fault.

    Columns are renamed; one row a machine is written.
    """

    dependencies = [
        ("health", "0004_mass_incidents"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="machinehealth", name="machine_cell_is_known"),
        migrations.AlterField(
            model_name="machinehealth",
            name="cell",
            field=models.CharField(choices=[(cell, cell) for cell in CELLS], default="off", max_length=12),
        ),
        migrations.AddConstraint(
            model_name="machinehealth",
            constraint=models.CheckConstraint(condition=models.Q(cell__in=CELLS), name="machine_cell_is_known"),
        ),
        migrations.RunSQL(PLANNED, migrations.RunSQL.noop),
        migrations.RemoveConstraint(
            model_name="pool",
            name="pool_share_is_between_0_and_1",
        ),
        migrations.RemoveConstraint(
            model_name="siteautomation",
            name="limits_are_in_range",
        ),
        migrations.RenameField(
            model_name="pool",
            old_name="max_out_share",
            new_name="max_unavailable_share",
        ),
        migrations.RenameField(
            model_name="siteautomation",
            old_name="least_out",
            new_name="min_unavailable",
        ),
        migrations.RenameField(
            model_name="siteautomation",
            old_name="least_out_from",
            new_name="min_unavailable_from",
        ),
        migrations.RenameField(
            model_name="siteautomation",
            old_name="undrained_rest_s",
            new_name="redrain_cooldown_s",
        ),
        migrations.AddConstraint(
            model_name="pool",
            constraint=models.CheckConstraint(
                condition=models.Q(("max_unavailable_share__gte", 0), ("max_unavailable_share__lte", 1)),
                name="pool_share_is_between_0_and_1",
            ),
        ),
        migrations.AddConstraint(
            model_name="siteautomation",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("breaker_ambiguous__range", (1, 1000)),
                    ("breaker_drained_machines__range", (1, 10000)),
                    ("breaker_drained_share__range", (0, 1)),
                    ("breaker_drained_window_s__range", (60, 604800)),
                    ("breaker_failed_verifications__range", (1, 1000)),
                    ("breaker_refused_1h__range", (1, 10000)),
                    ("cause_explains__range", (0, 1)),
                    ("cause_machines__range", (0, 1000)),
                    ("cause_out_s__range", (0, 604800)),
                    ("cause_share__range", (0, 1)),
                    ("cause_window_s__range", (60, 86400)),
                    ("clock_step_s__range", (1, 3600)),
                    ("drains_10min__range", (0, 1000)),
                    ("drains_1h__range", (0, 10000)),
                    ("flaps_24h__range", (1, 1000)),
                    ("golden_days__range", (1, 3650)),
                    ("inventory_age_s__range", (60, 86400)),
                    ("lease_s__range", (30, 3600)),
                    ("min_unavailable__range", (0, 1000)),
                    ("min_unavailable_from__range", (1, 100000)),
                    ("patience_s__range", (0, 604800)),
                    ("power_1h__range", (0, 1000)),
                    ("power_at_once__range", (0, 1000)),
                    ("power_off_s__range", (0, 3600)),
                    ("power_spacing_s__range", (0, 86400)),
                    ("reboots_7d__range", (0, 1000)),
                    ("redrain_cooldown_s__range", (0, 604800)),
                    ("remediations_7d__range", (0, 1000)),
                    ("retries__range", (1, 1000)),
                    ("retry_s__range", (0, 86400)),
                    ("rollout_s__range", (0, 2592000)),
                    ("suspicion_s__range", (60, 604800)),
                    ("suspicious_machines__range", (2, 10000)),
                    ("suspicious_share__range", (0, 1)),
                ),
                name="limits_are_in_range",
            ),
        ),
    ]
