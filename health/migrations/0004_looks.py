"""What looks leave: counters, facts and their changes, how far a BMC's log was read."""

import django.db.models.deletion
from django.db import migrations, models


def of_machine(name: str) -> models.OneToOneField:
    return models.OneToOneField(
        on_delete=django.db.models.deletion.CASCADE,
        primary_key=True,
        related_name=name,
        serialize=False,
        to="inventory.machine",
    )


class Migration(migrations.Migration):
    dependencies = [("health", "0003_remediation"), ("inventory", "0013_rows_and_ports_belong")]

    operations = [
        migrations.CreateModel(
            name="LookCounters",
            fields=[
                ("machine", of_machine("look_counters")),
                ("boot_id", models.CharField(blank=True, max_length=36)),
                (
                    "at_s",
                    models.FloatField(
                        help_text="When they were read, by the machine's own clock, in seconds since 1970."
                    ),
                ),
                ("packed", models.BinaryField(help_text="JSON: {slot: {counter: value}}.")),
            ],
        ),
        migrations.CreateModel(
            name="MachineFacts",
            fields=[
                ("machine", of_machine("facts")),
                (
                    "facts",
                    models.JSONField(
                        default=dict, help_text="{fact: value}; the names are those of `health.facts.FACTS`."
                    ),
                ),
                ("changed_at", models.DateTimeField(help_text="When a fact was last new or another one.")),
            ],
        ),
        migrations.CreateModel(
            name="BmcLogRead",
            fields=[
                ("machine", of_machine("bmc_log")),
                ("tried_at", models.DateTimeField(help_text="When the BMC was last asked for its logs.")),
                ("read_at", models.DateTimeField(help_text="When it last gave them.", null=True)),
                (
                    "error",
                    models.CharField(blank=True, help_text="Why it did not give them when last asked.", max_length=300),
                ),
                (
                    "cursors",
                    models.JSONField(default=dict, help_text="{path of a log's entries: id of the newest one read}."),
                ),
                (
                    "entries",
                    models.JSONField(
                        default=list, help_text="Entries that matter and were not taken back, oldest first."
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FactChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(help_text="The look that showed it first.")),
                ("fact", models.CharField(max_length=60)),
                ("before", models.CharField(max_length=200)),
                ("after", models.CharField(max_length=200)),
                (
                    "machine",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="fact_changes",
                        to="inventory.machine",
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-id"],
                "indexes": [models.Index(fields=["machine", "-at"], name="fact_change_of_machine")],
            },
        ),
        migrations.AddField(
            model_name="eventcursor",
            name="bmc_at_us",
            field=models.BigIntegerField(default=-1, help_text="Entries of the BMC's log, by when they were read."),
        ),
        migrations.AddField(model_name="verification", name="bmc_at_us", field=models.BigIntegerField(default=-1)),
    ]
