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
    """A colour and a word for machines that were drained for another reason than a fault. One row a machine: at once."""

    dependencies = [
        ("health", "0005_mass_incidents"),
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
    ]
