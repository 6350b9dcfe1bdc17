import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import core.audit.fields
import health.schedulers.models
from core.work.at_once import AtOnce
from health.machines.lifecycle import TRANSITIONS
from health.migrations import _sql


def fill_transitions(apps, schema_editor):
    """The table of `health.machines.lifecycle` as rows. A change of that table needs a migration that adds its rows."""
    model = apps.get_model("health", "LifecycleTransition")
    model.objects.bulk_create(
        model(from_state=state.value, event=event.value, to_state=following.value)
        for (state, event), following in TRANSITIONS.items()
    )


class Migration(migrations.Migration):
    initial = True

    # What a database of the version before has applied: with all of it, there is nothing left to do here.
    replaces = [
        ("health", "0002_time_series"),
        ("health", "0003_remediation"),
        ("health", "0004_looks"),
        ("health", "0005_reports"),
        ("health", "0006_policy"),
        ("health", "0007_look_before"),
        ("health", "0008_remediation_reports"),
        ("health", "0009_scheduler"),
        ("health", "0010_active"),
        ("health", "0011_reported_checks"),
        ("health", "0012_by_hand"),
        ("health", "0013_scheduler_jobs"),
        ("health", "0002_lanes"),
        ("health", "0003_responses"),
        ("health", "0004_no_scheduler_declared"),
        ("health", "0005_mass_incidents"),
        ("health", "0004_mass_incidents"),
        ("health", "0005_disruption_budget"),
        ("health", "0006_action_without_power_before"),
    ]

    dependencies = [
        ("core", "0001_initial"),
        ("inventory", "0001_initial"),
    ]

    operations = [
        AtOnce(
            [
                migrations.CreateModel(
                    name="Sample",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "machine_id", "at", blank=True, editable=False, primary_key=True, serialize=False
                            ),
                        ),
                        ("machine_id", models.BigIntegerField()),
                        ("at", models.DateTimeField()),
                        ("sweep_id", models.BigIntegerField(null=True)),
                        ("layout_id", models.BigIntegerField()),
                        ("heard", models.BooleanField()),
                        ("worst", models.PositiveSmallIntegerField(help_text="Verdict code, as in `health.packing`.")),
                        ("fail", models.PositiveSmallIntegerField()),
                        ("unknown", models.PositiveSmallIntegerField()),
                        ("warn", models.PositiveSmallIntegerField()),
                        ("verdicts", models.BinaryField()),
                        (
                            "vals",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.FloatField(null=True), null=True, size=None
                            ),
                        ),
                    ],
                    options={
                        "db_table": "health_sample",
                        "managed": False,
                    },
                ),
                migrations.CreateModel(
                    name="Transition",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "machine_id",
                                "at",
                                "check_id",
                                "part",
                                blank=True,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("machine_id", models.BigIntegerField()),
                        ("at", models.DateTimeField()),
                        ("check_id", models.CharField(max_length=60)),
                        ("part", models.CharField(max_length=60)),
                        ("from_verdict", models.CharField(max_length=8)),
                        ("to_verdict", models.CharField(max_length=8)),
                        ("message", models.TextField()),
                    ],
                    options={
                        "db_table": "health_transition",
                        "managed": False,
                    },
                ),
                migrations.CreateModel(
                    name="BmcLogRead",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="bmc_log",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("tried_at", models.DateTimeField(help_text="When the BMC was last asked for its logs.")),
                        ("read_at", models.DateTimeField(help_text="When it last gave them.", null=True)),
                        (
                            "error",
                            models.CharField(
                                blank=True, help_text="Why it did not give them when last asked.", max_length=300
                            ),
                        ),
                        (
                            "cursors",
                            models.JSONField(
                                default=dict, help_text="{path of a log's entries: id of the newest one read}."
                            ),
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
                    name="EventCursor",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="event_cursor",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("boot_id", models.CharField(blank=True, max_length=36)),
                        ("at_us", models.BigIntegerField(default=-1)),
                        (
                            "recent_keys",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=200), default=list, size=None
                            ),
                        ),
                        (
                            "bmc_at_us",
                            models.BigIntegerField(
                                default=-1, help_text="Entries of the BMC's log, by when they were read."
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="LookCounters",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="look_counters",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("boot_id", models.CharField(blank=True, max_length=36)),
                        (
                            "at_s",
                            models.FloatField(
                                help_text="When they were read, by the machine's own clock, in seconds since 1970."
                            ),
                        ),
                        ("packed", models.BinaryField(help_text="JSON: {slot: {counter: value}}.")),
                        (
                            "before_boot_id",
                            models.CharField(
                                blank=True, default="", help_text="The check before that one.", max_length=36
                            ),
                        ),
                        ("before_at_s", models.FloatField(null=True)),
                        ("before_packed", models.BinaryField(null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name="MachineFacts",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="facts",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "facts",
                            models.JSONField(
                                default=dict,
                                help_text="{fact: value}; the names are those of `health.monitoring.facts.FACTS`.",
                            ),
                        ),
                        ("changed_at", models.DateTimeField(help_text="When a fact was last new or another one.")),
                    ],
                ),
                migrations.CreateModel(
                    name="ActiveWindow",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("weekday", models.PositiveSmallIntegerField(help_text="0 is Monday.")),
                        ("starts", models.TimeField()),
                        ("ends", models.TimeField()),
                        (
                            "kinds",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=20),
                                help_text="Kinds of checks, in the order they are run.",
                                size=None,
                            ),
                        ),
                        ("enabled", models.BooleanField(default=True)),
                        (
                            "started_at",
                            models.DateTimeField(blank=True, help_text="When it last began a run.", null=True),
                        ),
                        ("created_by", models.CharField(max_length=150)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="active_windows",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "weekday", "starts"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("weekday__lte", 6)), name="active_window_weekday"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("starts", models.F("ends")), _negated=True),
                                name="active_window_has_a_length",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ActiveRun",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("kind", models.CharField(max_length=20)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "no worker began it yet"),
                                    ("running", "Running"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                    ("cancelled", "Cancelled"),
                                ],
                                default="waiting",
                                max_length=9,
                            ),
                        ),
                        (
                            "options",
                            models.JSONField(
                                default=dict, help_text="All options, those that were not given as usual."
                            ),
                        ),
                        (
                            "pairs",
                            models.JSONField(
                                default=list, help_text="[[machine, machine]] to begin with, where they were given."
                            ),
                        ),
                        (
                            "left_out",
                            models.JSONField(
                                default=list, help_text="[{machine, name, reason}] of those that may not be used."
                            ),
                        ),
                        (
                            "must_end_at",
                            models.DateTimeField(
                                blank=True, help_text="Nothing is begun that would end later.", null=True
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("requested_by", models.CharField(max_length=150)),
                        ("rounds", models.PositiveSmallIntegerField(default=0, help_text="Rounds begun so far.")),
                        ("cancelled_by", models.CharField(blank=True, max_length=150)),
                        (
                            "conclusion",
                            models.JSONField(
                                default=dict, help_text="Bad, switches, undecided, by rail; of tests over groups."
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=300)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="active_runs", to="core.site"
                            ),
                        ),
                        (
                            "window",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="runs",
                                to="health.activewindow",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status__in", ["waiting", "running"])),
                                fields=["id"],
                                name="active_run_open",
                            ),
                            models.Index(fields=["site", "-id"], name="active_run_of_site"),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("status__in", ["waiting", "running", "done", "failed", "cancelled"])
                                ),
                                name="active_run_status_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AllowedWindow",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "weekdays",
                            models.PositiveSmallIntegerField(
                                default=127, help_text="Sum of 1 Monday, 2 Tuesday ... 64 Sunday."
                            ),
                        ),
                        ("from_time", models.TimeField()),
                        ("to_time", models.TimeField(help_text="Before from_time: until that time of the next day.")),
                        (
                            "rungs",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.PositiveSmallIntegerField(), default=list, size=None
                            ),
                        ),
                        ("by", models.CharField(max_length=150)),
                        ("reason", models.CharField(max_length=300)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="allowed_windows",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("weekdays__gte", 1), ("weekdays__lte", 127)),
                                name="window_has_weekdays",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("from_time", models.F("to_time")), _negated=True),
                                name="window_has_a_length",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CurrentVerdict",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "machine_id",
                                "check_id",
                                "part",
                                blank=True,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("check_id", models.CharField(max_length=60)),
                        ("part", models.CharField(max_length=60)),
                        ("verdict", models.CharField(max_length=8)),
                        ("message", models.TextField()),
                        ("action", models.TextField(blank=True)),
                        ("fault_class", models.CharField(blank=True, max_length=60)),
                        ("kind", models.CharField(default="level", max_length=5)),
                        ("value", models.FloatField(null=True)),
                        ("command", models.CharField(blank=True, max_length=300)),
                        ("exit_status", models.IntegerField(null=True)),
                        ("excerpt", models.TextField(blank=True)),
                        ("observed", models.JSONField(default=dict)),
                        ("checked_at", models.DateTimeField(help_text="Report this verdict was made from.")),
                        ("changed_at", models.DateTimeField(help_text="Since when the verdict is this one.")),
                        (
                            "machine",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="verdicts",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("verdict__in", ["fail", "unknown", "warn", "info"])),
                                name="current_verdict_is_not_ok",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="FactChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(help_text="The check that showed it first.")),
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
                migrations.CreateModel(
                    name="Fault",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("slot", models.CharField(max_length=60)),
                        ("fault_class", models.CharField(max_length=60)),
                        (
                            "precedence",
                            models.PositiveSmallIntegerField(help_text="0 gone, 1 bus, 2 link, 3 degraded."),
                        ),
                        ("kind", models.CharField(choices=[("level", "level"), ("event", "event")], max_length=5)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("suspected", "Suspected"),
                                    ("confirmed", "Confirmed"),
                                    ("cleared", "Cleared"),
                                ],
                                default="suspected",
                                max_length=9,
                            ),
                        ),
                        (
                            "checks",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=60),
                                default=list,
                                help_text="The checks that showed it.",
                                size=None,
                            ),
                        ),
                        (
                            "signatures",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=200),
                                default=list,
                                help_text="Kinds of evidence at hand: the same one is kept once.",
                                size=None,
                            ),
                        ),
                        ("message", models.TextField()),
                        ("action", models.TextField(blank=True)),
                        ("opened_at", models.DateTimeField()),
                        (
                            "seen_at",
                            models.DateTimeField(help_text="Newest report that showed it and added to its evidence."),
                        ),
                        (
                            "confirm_due_at",
                            models.DateTimeField(
                                blank=True, help_text="A second check from here on confirms it.", null=True
                            ),
                        ),
                        ("confirm_asked_at", models.DateTimeField(blank=True, null=True)),
                        ("confirmed_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "announced_at",
                            models.DateTimeField(blank=True, help_text="When fault.confirmed was emitted.", null=True),
                        ),
                        ("cleared_at", models.DateTimeField(blank=True, null=True)),
                        ("cleared_by", models.CharField(blank=True, max_length=300)),
                        (
                            "drain",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("", "Not Needed"),
                                    ("drained", "Drained"),
                                    ("over_cap", "Over Cap"),
                                    ("dry_run", "Dry Run"),
                                    ("stopped", "Stopped"),
                                ],
                                default="",
                                max_length=8,
                            ),
                        ),
                        (
                            "start_rung",
                            models.PositiveSmallIntegerField(
                                default=0,
                                help_text="Highest remediation level that a finding asked to start at; 0: as its class says.",
                            ),
                        ),
                        (
                            "led_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="attached",
                                to="health.fault",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="faults",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "incident",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="faults",
                                to="health.incident",
                            ),
                        ),
                        (
                            "response",
                            models.CharField(
                                choices=[
                                    ("note", "note"),
                                    ("ticket", "ticket"),
                                    ("cordon", "cordon"),
                                    ("drain", "drain"),
                                    ("drain_now", "drain_now"),
                                ],
                                default="drain",
                                help_text="What it asks for by its class, the site and how many there are; of a leader, the most of its group.",
                                max_length=9,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status", "cleared"), _negated=True),
                                fields=["machine"],
                                name="fault_open",
                            ),
                            models.Index(
                                condition=models.Q(("status", "suspected")),
                                fields=["confirm_due_at"],
                                name="fault_to_confirm",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("status", "cleared"), _negated=True),
                                fields=("machine", "slot", "fault_class"),
                                name="one_open_fault_per_class",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["suspected", "confirmed", "cleared"])),
                                name="fault_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["level", "event"])), name="fault_kind_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("cleared_at__isnull", False), ("status", "cleared")),
                                    models.Q(
                                        models.Q(("status", "cleared"), _negated=True), ("cleared_at__isnull", True)
                                    ),
                                    _connector="OR",
                                ),
                                name="cleared_fault_has_its_time",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("led_by", models.F("id")), _negated=True),
                                name="fault_does_not_lead_itself",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("response__in", ["note", "ticket", "cordon", "drain", "drain_now"])
                                ),
                                name="fault_response_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="FaultEvidence",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField()),
                        ("check_id", models.CharField(max_length=60)),
                        ("part", models.CharField(max_length=60)),
                        ("verdict", models.CharField(max_length=8)),
                        ("message", models.TextField()),
                        ("command", models.CharField(blank=True, max_length=300)),
                        ("exit_status", models.IntegerField(blank=True, null=True)),
                        ("excerpt", models.TextField(blank=True)),
                        ("observed", models.JSONField(default=dict)),
                        (
                            "fault",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="evidence", to="health.fault"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                    },
                ),
                migrations.CreateModel(
                    name="GoldenMachine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("promoted_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("promoted_by", models.CharField(max_length=150)),
                        ("reason", models.CharField(max_length=300)),
                        ("demoted_at", models.DateTimeField(blank=True, null=True)),
                        ("demoted_by", models.CharField(blank=True, max_length=150)),
                        ("demote_reason", models.CharField(blank=True, max_length=300)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="golden",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("demoted_at__isnull", True)),
                                fields=("machine",),
                                name="golden_once",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("reason", ""), _negated=True), name="golden_has_a_reason"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Hold",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("owner", models.CharField(max_length=60)),
                        ("reason", models.CharField(max_length=300)),
                        ("placed_by", models.CharField(max_length=150)),
                        ("placed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("lifted_by", models.CharField(blank=True, max_length=150)),
                        ("lifted_at", models.DateTimeField(blank=True, null=True)),
                        ("lift_reason", models.CharField(blank=True, max_length=300)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="holds",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("lifted_at__isnull", True)),
                                fields=("machine", "owner"),
                                name="one_live_hold_per_owner",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("owner", ""), _negated=True), name="hold_has_an_owner"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Incident",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[("machine", "Machine"), ("shared", "The same trouble on several machines")],
                                max_length=7,
                            ),
                        ),
                        (
                            "cause_kind",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("", "None"),
                                    ("rack", "Rack"),
                                    ("row", "Row"),
                                    ("room", "Room"),
                                    ("switch", "Switch"),
                                    ("management", "Management switch"),
                                    ("feed", "Feed"),
                                    ("rollout", "New version of software"),
                                    ("site", "No known common cause"),
                                ],
                                default="",
                                max_length=10,
                            ),
                        ),
                        (
                            "cause",
                            models.CharField(
                                blank=True, help_text="Name of the rack, switch, feed or version.", max_length=120
                            ),
                        ),
                        ("title", models.CharField(max_length=200)),
                        ("opened_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("closed_at", models.DateTimeField(blank=True, null=True)),
                        ("closed_by", models.CharField(blank=True, max_length=150)),
                        ("close_reason", models.CharField(blank=True, max_length=300)),
                        (
                            "drained_at",
                            models.DateTimeField(
                                blank=True, help_text="When automation took the machine out for it.", null=True
                            ),
                        ),
                        (
                            "overridden_at",
                            models.DateTimeField(
                                blank=True,
                                help_text="A person put the machine back against it; its checks do not drain it for a while.",
                                null=True,
                            ),
                        ),
                        (
                            "automation_first",
                            models.BooleanField(
                                default=False, help_text="A remedy is on for it: no ticket has opened yet."
                            ),
                        ),
                        (
                            "refused_at",
                            models.DateTimeField(
                                blank=True, help_text="When a guard last said no to automation.", null=True
                            ),
                        ),
                        ("refused_by", models.CharField(blank=True, max_length=60)),
                        (
                            "needs_person_at",
                            models.DateTimeField(
                                blank=True, help_text="From here on automation leaves it alone.", null=True
                            ),
                        ),
                        ("needs_person_reason", models.CharField(blank=True, max_length=300)),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="incidents",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="incidents", to="core.site"
                            ),
                        ),
                        (
                            "cause_due",
                            models.BooleanField(
                                default=False,
                                help_text="Others fail alike: its ticket waits for the next round to look for a common cause.",
                            ),
                        ),
                        (
                            "code",
                            models.CharField(
                                blank=True,
                                default="",
                                help_text="Of those faults: the number of the Xid, or their message.",
                                max_length=120,
                            ),
                        ),
                        (
                            "fault_class",
                            models.CharField(
                                blank=True, default="", help_text="Of the faults that are alike.", max_length=60
                            ),
                        ),
                        ("lift_reason", models.CharField(blank=True, default="", max_length=300)),
                        (
                            "lifted_by",
                            models.CharField(
                                blank=True, default="", help_text="Who lifted the suspicion.", max_length=150
                            ),
                        ),
                        (
                            "suspect_until",
                            models.DateTimeField(
                                blank=True,
                                help_text="Until then automation leaves every fault of this class and code alone.",
                                null=True,
                            ),
                        ),
                        (
                            "text",
                            models.TextField(
                                blank=True, default="", help_text="How well the cause explains it, and what else may."
                            ),
                        ),
                        (
                            "verify_by",
                            models.DateTimeField(
                                blank=True,
                                help_text="A person said that it is mended: its machines have until then to pass.",
                                null=True,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [models.Index(fields=["machine", "-opened_at"], name="incident_of_machine")],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("closed_at__isnull", True), ("closed_by", "")),
                                    models.Q(("closed_at__isnull", False), models.Q(("closed_by", ""), _negated=True)),
                                    _connector="OR",
                                ),
                                name="closed_incident_has_its_closer",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("closed_at", None), ("kind", "machine")),
                                fields=("machine",),
                                name="one_open_incident_per_machine",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["machine", "shared"])), name="incident_kind_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("cause_kind", ""), ("kind", "machine"), ("machine__isnull", False)),
                                    models.Q(
                                        (
                                            "cause_kind__in",
                                            ("rack", "row", "room", "switch", "management", "feed", "rollout", "site"),
                                        ),
                                        ("kind", "shared"),
                                        ("machine__isnull", True),
                                    ),
                                    _connector="OR",
                                ),
                                name="incident_cause_fits_its_kind",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("closed_at", None), ("machine", None)),
                                fields=("site", "cause_kind", "cause", "fault_class", "code"),
                                name="one_open_incident_per_cause",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="KernelImage",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("image", models.CharField(blank=True, max_length=200)),
                        (
                            "sweep_id",
                            models.BigIntegerField(
                                blank=True, help_text="Sweep that `added` and `dropped` count in.", null=True
                            ),
                        ),
                        ("added", models.PositiveIntegerField(default=0)),
                        ("dropped", models.PositiveIntegerField(default=0)),
                        ("dropped_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "model",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.devicemodel",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("site", "model", "image"), name="one_kernel_image_per_site_and_model"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="KernelLine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("shape", models.CharField(max_length=300)),
                        ("example", models.CharField(max_length=400)),
                        ("first_seen", models.DateTimeField()),
                        (
                            "last_seen",
                            models.DateTimeField(
                                help_text="Newest check that listed it as not triaged; an hour old at most."
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[("new", "New"), ("accepted", "Accepted"), ("bad", "Bad")],
                                default="new",
                                max_length=8,
                            ),
                        ),
                        ("verdict", models.CharField(blank=True, help_text="Of a bad line.", max_length=4)),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("owner", models.CharField(blank=True, max_length=150)),
                        ("expires_at", models.DateTimeField(blank=True, null=True)),
                        ("judged_by", models.CharField(blank=True, max_length=150)),
                        ("judged_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "image",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="lines",
                                to="health.kernelimage",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-last_seen", "-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state", "new"), _negated=True),
                                fields=["image"],
                                name="kernel_line_judged",
                            ),
                            models.Index(fields=["-last_seen", "-id"], name="kernel_line_last_seen"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("image", "shape"), name="one_row_per_kind_of_kernel_line"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state", "new"), ("verdict", "")),
                                    models.Q(
                                        ("expires_at__isnull", False),
                                        ("state", "accepted"),
                                        ("verdict", ""),
                                        models.Q(("reason", ""), _negated=True),
                                        models.Q(("owner", ""), _negated=True),
                                    ),
                                    models.Q(
                                        ("state", "bad"),
                                        ("verdict__in", ["fail", "warn", "info"]),
                                        models.Q(("reason", ""), _negated=True),
                                    ),
                                    _connector="OR",
                                ),
                                name="kernel_line_is_judged_in_full",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="KernelSighting",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "line",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="sightings",
                                to="health.kernelline",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="inventory.machine"
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("line", "machine"), name="one_sighting_per_line_and_machine"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Layout",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("checks_version", models.CharField(max_length=40)),
                        ("model", models.CharField(help_text="Slug of the device model.", max_length=60)),
                        ("digest", models.CharField(help_text="SHA-256 of the entries.", max_length=64)),
                        ("entries", models.JSONField(help_text="[[check, part], ...] in the order of the bytes.")),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("checks_version", "model", "digest"), name="one_row_per_layout"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LifecycleTransition",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("from_state", models.CharField(max_length=16)),
                        ("event", models.CharField(max_length=16)),
                        ("to_state", models.CharField(max_length=16)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("from_state", "event"), name="one_state_follows_an_event")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LifecycleChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("actor", models.CharField(max_length=150)),
                        ("reason", models.CharField(max_length=300)),
                        ("evidence", models.JSONField(default=dict)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="lifecycle_changes",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "transition",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="health.lifecycletransition",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [models.Index(fields=["machine", "-at"], name="lifecycle_of_machine")],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("actor", ""), _negated=True), name="lifecycle_change_has_an_actor"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MachineReport",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="report",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("verdicts", models.BinaryField()),
                        (
                            "checked_at",
                            models.DateTimeField(help_text="When the machine was last checked, reachable or not."),
                        ),
                        ("heard_at", models.DateTimeField(null=True)),
                        ("sweep_id", models.BigIntegerField(null=True)),
                        (
                            "layout",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="health.layout"
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="ObserveOnly",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("check_id", models.CharField(max_length=60)),
                        ("reason", models.CharField(max_length=300)),
                        (
                            "owner",
                            models.CharField(help_text="User name of the person who answers for it.", max_length=150),
                        ),
                        ("expires_at", models.DateTimeField(blank=True, null=True)),
                        ("created_by", models.CharField(max_length=150)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("ended_by", models.CharField(blank=True, max_length=150)),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "audit mode",
                        "verbose_name_plural": "audit mode",
                        "ordering": ["-id"],
                        "abstract": False,
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("reason", ""), _negated=True), name="observeonly_has_a_reason"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("owner", ""), _negated=True), models.Q(("created_by", ""), _negated=True)
                                ),
                                name="observeonly_has_an_owner",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("expires_at__isnull", True),
                                    ("expires_at__gt", models.F("created_at")),
                                    _connector="OR",
                                ),
                                name="observeonly_expires_after_it_began",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("ended_at__isnull", True), ("ended_by", "")),
                                    models.Q(("ended_at__isnull", False), models.Q(("ended_by", ""), _negated=True)),
                                    _connector="OR",
                                ),
                                name="observeonly_was_ended_by_somebody",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=("check_id", "site"),
                                name="one_live_observe_only_per_check",
                                nulls_distinct=False,
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Pool",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("role", models.CharField(max_length=30)),
                        (
                            "automation",
                            models.CharField(
                                choices=[
                                    ("dry_run", "Say what would be drained"),
                                    ("on", "Drain within the disruption budget"),
                                ],
                                default="dry_run",
                                max_length=8,
                            ),
                        ),
                        (
                            "model",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="pools",
                                to="inventory.devicemodel",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="pools", to="core.site"
                            ),
                        ),
                        (
                            "no_scheduler",
                            models.BooleanField(
                                default=False,
                                help_text="A person declares that no scheduler gives work to these machines.",
                            ),
                        ),
                        ("no_scheduler_by", models.CharField(blank=True, max_length=150)),
                        ("no_scheduler_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "max_unavailable_share",
                            models.FloatField(
                                default=0.05, help_text="Share of the pool that may be out of service, 0 to 1."
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "role", "model"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("site", "role", "model"), name="one_pool_per_role_and_model"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("automation__in", ["dry_run", "on"])),
                                name="pool_automation_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("no_scheduler", False),
                                    models.Q(
                                        ("no_scheduler_at__isnull", False),
                                        models.Q(("no_scheduler_by", ""), _negated=True),
                                    ),
                                    _connector="OR",
                                ),
                                name="pool_without_scheduler_has_who_and_when",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("max_unavailable_share__gte", 0), ("max_unavailable_share__lte", 1)
                                ),
                                name="pool_share_is_between_0_and_1",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MachineHealth",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="health",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("new", "new"),
                                    ("provisioning", "provisioning"),
                                    ("burn_in", "burn_in"),
                                    ("ready", "ready"),
                                    ("draining", "draining"),
                                    ("drained", "drained"),
                                    ("remediating", "remediating"),
                                    ("verifying", "verifying"),
                                    ("triage", "triage"),
                                    ("repair", "repair"),
                                    ("rma", "rma"),
                                    ("maintenance", "maintenance"),
                                    ("retired", "retired"),
                                ],
                                default="new",
                                max_length=16,
                            ),
                        ),
                        ("state_since", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "stuck",
                            models.BooleanField(
                                default=False, help_text="It is longer in its state than that should take."
                            ),
                        ),
                        (
                            "version",
                            models.PositiveBigIntegerField(default=0, help_text="Grows with every change of state."),
                        ),
                        (
                            "heard",
                            models.CharField(
                                choices=[
                                    ("never", "Never"),
                                    ("heard", "Heard"),
                                    ("late", "Late"),
                                    ("silent", "Silent"),
                                ],
                                default="never",
                                max_length=8,
                            ),
                        ),
                        ("heard_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "worst",
                            models.CharField(
                                choices=[
                                    ("fail", "fail"),
                                    ("unknown", "unknown"),
                                    ("warn", "warn"),
                                    ("info", "info"),
                                    ("ok", "ok"),
                                ],
                                default="unknown",
                                max_length=8,
                            ),
                        ),
                        ("fail_count", models.PositiveSmallIntegerField(default=0)),
                        ("unknown_count", models.PositiveSmallIntegerField(default=0)),
                        ("warn_count", models.PositiveSmallIntegerField(default=0)),
                        (
                            "power",
                            models.CharField(
                                choices=[("unknown", "Unknown"), ("on", "On"), ("off", "Off")],
                                default="unknown",
                                max_length=8,
                            ),
                        ),
                        (
                            "allocation",
                            models.CharField(
                                choices=[("unknown", "Unknown"), ("idle", "Idle"), ("allocated", "Allocated")],
                                default="unknown",
                                max_length=10,
                            ),
                        ),
                        ("boot_id", models.CharField(blank=True, max_length=36)),
                        (
                            "open_faults",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Leading faults, suspected or confirmed."
                            ),
                        ),
                        (
                            "cell",
                            models.CharField(
                                choices=[
                                    ("allocated", "allocated"),
                                    ("available", "available"),
                                    ("suspect", "suspect"),
                                    ("failed", "failed"),
                                    ("drained", "drained"),
                                    ("repair", "repair"),
                                    ("provisioning", "provisioning"),
                                    ("off", "off"),
                                    ("no_signal", "no_signal"),
                                ],
                                default="off",
                                max_length=12,
                            ),
                        ),
                        (
                            "ticket_key",
                            models.CharField(
                                blank=True, help_text="Open ticket, set by the room that owns it.", max_length=20
                            ),
                        ),
                        ("maintenance_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "pool",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="machines",
                                to="health.pool",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["state"], name="machine_state")],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        [
                                            "new",
                                            "provisioning",
                                            "burn_in",
                                            "ready",
                                            "draining",
                                            "drained",
                                            "remediating",
                                            "verifying",
                                            "triage",
                                            "repair",
                                            "rma",
                                            "maintenance",
                                            "retired",
                                        ],
                                    )
                                ),
                                name="machine_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("heard__in", ["never", "heard", "late", "silent"])),
                                name="machine_heard_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("worst__in", ("fail", "unknown", "warn", "info", "ok"))),
                                name="machine_worst_is_a_verdict",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("power__in", ["unknown", "on", "off"])),
                                name="machine_power_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("allocation__in", ["unknown", "idle", "allocated"])),
                                name="machine_allocation_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "cell__in",
                                        (
                                            "allocated",
                                            "available",
                                            "suspect",
                                            "failed",
                                            "drained",
                                            "repair",
                                            "provisioning",
                                            "off",
                                            "no_signal",
                                        ),
                                    )
                                ),
                                name="machine_cell_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RemedySwitch",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("check_id", models.CharField(max_length=60)),
                        ("remedy", models.CharField(max_length=30)),
                        (
                            "mode",
                            models.CharField(
                                choices=[("dry_run", "Say what would be done"), ("on", "Do it")],
                                default="dry_run",
                                max_length=7,
                            ),
                        ),
                        ("by", models.CharField(max_length=150)),
                        ("reason", models.CharField(max_length=300)),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="remedy_switches",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["check_id", "remedy", "site"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("check_id", "remedy", "site"),
                                name="one_switch_per_remedy",
                                nulls_distinct=False,
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("mode__in", ["dry_run", "on"])), name="remedy_mode_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("reason", ""), _negated=True), name="remedy_switch_has_a_reason"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ReportSource",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "name",
                            models.CharField(
                                help_text="Its checks are called NAME/CHECK.",
                                max_length=20,
                                validators=[
                                    django.core.validators.RegexValidator(
                                        "\\A[a-z0-9][a-z0-9-]*\\Z", "Lower-case letters, digits and dashes."
                                    )
                                ],
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("generic", "Generic"),
                                    ("nhc", "Nhc"),
                                    ("alertmanager", "Alertmanager"),
                                    ("agent", "Agent"),
                                ],
                                default="generic",
                                max_length=12,
                            ),
                        ),
                        ("digest", models.CharField(editable=False, max_length=128, unique=True)),
                        ("token_key", models.CharField(help_text="How its token begins.", max_length=15)),
                        (
                            "checks",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=39),
                                blank=True,
                                default=list,
                                help_text="The only checks it may report; empty: any.",
                                size=None,
                            ),
                        ),
                        (
                            "known",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=39),
                                blank=True,
                                default=list,
                                editable=False,
                                help_text="Checks it reported so far, the first few hundred.",
                                size=None,
                            ),
                        ),
                        (
                            "stale_after_s",
                            models.PositiveIntegerField(
                                default=900, help_text="A check without a report for so long is unknown."
                            ),
                        ),
                        ("enabled", models.BooleanField(default=True)),
                        ("created_by", models.CharField(max_length=150)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("last_seen_at", models.DateTimeField(blank=True, null=True)),
                        ("refused", models.PositiveBigIntegerField(default=0, help_text="Results refused so far.")),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="report_sources",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="one_report_source_per_name"),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["generic", "nhc", "alertmanager", "agent"])),
                                name="report_source_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("stale_after_s__gte", 60), ("stale_after_s__lte", 604800)),
                                name="report_source_goes_stale",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ReportedMachine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "entries",
                            core.audit.fields.JsonText(
                                default=dict, help_text="CHECK<tab>PART to [verdict code, microseconds since 1970]."
                            ),
                        ),
                        (
                            "version",
                            models.PositiveBigIntegerField(
                                default=0, help_text="Grows with every write of the entries."
                            ),
                        ),
                        (
                            "waits",
                            models.BooleanField(
                                default=False, help_text="A fault waits for the second time it is said."
                            ),
                        ),
                        (
                            "due_at",
                            models.DateTimeField(
                                help_text="When to evaluate it again: after a change, a confirmation or missing reports.",
                                null=True,
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="reported",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="health.reportsource",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="reported_due"
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("source", "machine"), name="one_row_per_source_and_machine")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SchedulerChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("drained", "Drained"),
                                    ("resumed", "Resumed"),
                                    ("down", "Down"),
                                    ("up", "Up"),
                                ],
                                max_length=7,
                            ),
                        ),
                        ("ours", models.BooleanField()),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        (
                            "by",
                            models.CharField(
                                blank=True, help_text="As the scheduler says; empty when it does not.", max_length=100
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="scheduler_changes",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [models.Index(fields=["machine", "-at"], name="scheduler_of_machine")],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["drained", "resumed", "down", "up"])),
                                name="scheduler_change_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SchedulerSource",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[("slurm", "Slurm"), ("none", "None")], default="slurm", max_length=8
                            ),
                        ),
                        (
                            "enabled",
                            models.BooleanField(
                                default=True, help_text="Off: nothing is read or sent; desired states wait."
                            ),
                        ),
                        (
                            "url",
                            models.CharField(
                                blank=True, help_text="Of slurmrestd; empty: read by scontrol.", max_length=200
                            ),
                        ),
                        (
                            "api_version",
                            models.CharField(
                                blank=True, help_text="Such as v0.0.40; empty: the newest of both.", max_length=10
                            ),
                        ),
                        (
                            "certificate",
                            models.CharField(
                                blank=True, help_text="SHA-256 of the certificate of the url.", max_length=64
                            ),
                        ),
                        (
                            "ssh_address",
                            models.CharField(
                                blank=True, help_text="ADDRESS or ADDRESS:PORT instead of it.", max_length=200
                            ),
                        ),
                        (
                            "ssh_identity",
                            models.CharField(blank=True, help_text="Its public host key.", max_length=800),
                        ),
                        ("local", models.BooleanField(default=False, help_text="Run scontrol where the workers run.")),
                        ("sudo", models.BooleanField(default=False, help_text="Write by sudo -n scontrol.")),
                        (
                            "partition",
                            models.CharField(
                                blank=True, help_text="Only machines of this partition; empty: all.", max_length=60
                            ),
                        ),
                        (
                            "roles",
                            models.JSONField(
                                blank=True,
                                default=health.schedulers.models.all_roles,
                                help_text="Roles of machines that it runs; empty: all.",
                            ),
                        ),
                        (
                            "names",
                            models.JSONField(
                                blank=True,
                                default=health.schedulers.models.no_names,
                                help_text="{our name: its name} where they differ.",
                            ),
                        ),
                        ("period_s", models.PositiveIntegerField(default=15)),
                        ("stale_after_s", models.PositiveIntegerField(default=120, help_text="Older news is unknown.")),
                        (
                            "settle_s",
                            models.PositiveIntegerField(
                                default=30,
                                help_text="Two checks without a job, this far apart, make a draining machine drained.",
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("never", "Never"),
                                    ("good", "Good"),
                                    ("stale", "Stale"),
                                    ("failed", "Failed"),
                                ],
                                default="never",
                                max_length=6,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("tried_at", models.DateTimeField(blank=True, null=True)),
                        ("last_read_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "since",
                            models.BigIntegerField(
                                blank=True, help_text="What changes are asked from, by its own clock.", null=True
                            ),
                        ),
                        ("changed_at", models.DateTimeField(auto_now=True)),
                        (
                            "credential",
                            models.ForeignKey(
                                blank=True,
                                help_text="User name, with a token or the cluster's JWT key in base64 as its secret.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="core.credential",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                help_text="To run scontrol on, reached as its access says.",
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE, related_name="scheduler", to="core.site"
                            ),
                        ),
                        (
                            "ssh_credential",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="core.credential",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["slurm", "none"])), name="scheduler_kind_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["never", "good", "stale", "failed"])),
                                name="scheduler_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("period_s__gte", 1), ("stale_after_s__gte", models.F("period_s"))),
                                name="scheduler_is_read_in_time",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SchedulerMachine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=64)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("idle", "idle"),
                                    ("allocated", "allocated"),
                                    ("drained", "drained"),
                                    ("down", "down"),
                                    ("unknown", "unknown"),
                                ],
                                max_length=9,
                            ),
                        ),
                        ("words", models.CharField(blank=True, help_text="The scheduler's own words.", max_length=200)),
                        ("closed", models.BooleanField(help_text="No new job starts there.")),
                        ("answers", models.BooleanField(help_text="The scheduler reaches the machine.")),
                        ("jobs", models.PositiveIntegerField(help_text="Null: the scheduler does not say.", null=True)),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("reason_by", models.CharField(blank=True, max_length=100)),
                        ("reason_at", models.DateTimeField(null=True)),
                        ("cpus", models.PositiveIntegerField(null=True)),
                        ("memory_mb", models.PositiveBigIntegerField(null=True)),
                        ("gpus", models.PositiveIntegerField(null=True)),
                        (
                            "reserved_from",
                            models.DateTimeField(
                                help_text="Begin of the next or present reservation of others.", null=True
                            ),
                        ),
                        ("reserved_until", models.DateTimeField(null=True)),
                        ("reservation", models.CharField(blank=True, max_length=200)),
                        ("since", models.DateTimeField(help_text="It says so since.")),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="health.schedulersource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["source", "name"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("source", "name"), name="one_row_per_machine_of_a_scheduler"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ("idle", "allocated", "drained", "down", "unknown"))),
                                name="scheduler_machine_state_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SchedulerJob",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("job_id", models.CharField(max_length=40)),
                        ("started_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("state", models.CharField(help_text="The scheduler's word, or unknown.", max_length=20)),
                        ("exit_status", models.PositiveSmallIntegerField(null=True)),
                        ("signal", models.PositiveSmallIntegerField(null=True)),
                        ("why", models.CharField(blank=True, max_length=60)),
                        ("partition", models.CharField(blank=True, max_length=60)),
                        ("account", models.CharField(blank=True, max_length=60)),
                        (
                            "machine_count",
                            models.PositiveIntegerField(help_text="Of all its machines, also those that are not ours."),
                        ),
                        (
                            "machine_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.BigIntegerField(), help_text="Ours among them.", size=None
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="jobs",
                                to="health.schedulersource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-started_at"],
                        "indexes": [
                            models.Index(fields=["source", "ended_at"], name="scheduler_job_ended"),
                            django.contrib.postgres.indexes.GinIndex(
                                fields=["machine_ids"], name="scheduler_job_machines"
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("source", "job_id", "started_at"), name="scheduler_job_once"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("machine_count__gte", 1)), name="scheduler_job_has_machines"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SchedulerWish",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="scheduler_wish",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("want", models.CharField(choices=[("drain", "Drain"), ("resume", "Resume")], max_length=6)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("done", "Done"),
                                    ("theirs", "Somebody else has the say"),
                                ],
                                default="waiting",
                                max_length=7,
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("written", models.CharField(blank=True, max_length=200)),
                        (
                            "version",
                            models.PositiveIntegerField(default=0, help_text="Grows with every new desired state."),
                        ),
                        ("wished_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("tries", models.PositiveIntegerField(default=0)),
                        ("next_try_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "error",
                            models.CharField(
                                blank=True,
                                help_text="Why it is not done yet, or what stands in its way.",
                                max_length=500,
                            ),
                        ),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "idle_since",
                            models.DateTimeField(
                                blank=True, help_text="First check that found no job, since the last one.", null=True
                            ),
                        ),
                        (
                            "follow",
                            models.JSONField(
                                blank=True, default=dict, help_text="What a person wants done once it is drained."
                            ),
                        ),
                        (
                            "by",
                            models.CharField(
                                blank=True,
                                help_text="A person, or the part of the service that wanted it.",
                                max_length=150,
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status", "waiting")),
                                fields=["next_try_at"],
                                name="scheduler_wish_due",
                            )
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("want__in", ["drain", "resume"])), name="scheduler_wish_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "done", "theirs"])),
                                name="scheduler_wish_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Silence",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("check_id", models.CharField(max_length=60)),
                        ("reason", models.CharField(max_length=300)),
                        (
                            "owner",
                            models.CharField(help_text="User name of the person who answers for it.", max_length=150),
                        ),
                        ("created_by", models.CharField(max_length=150)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("ended_by", models.CharField(blank=True, max_length=150)),
                        (
                            "scope",
                            models.CharField(
                                choices=[("site", "site"), ("model", "model"), ("machine", "machine")], max_length=7
                            ),
                        ),
                        ("part", models.CharField(blank=True, max_length=60)),
                        ("expires_at", models.DateTimeField()),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "model",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.devicemodel",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "abstract": False,
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("reason", ""), _negated=True), name="silence_has_a_reason"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("owner", ""), _negated=True), models.Q(("created_by", ""), _negated=True)
                                ),
                                name="silence_has_an_owner",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("expires_at__isnull", True),
                                    ("expires_at__gt", models.F("created_at")),
                                    _connector="OR",
                                ),
                                name="silence_expires_after_it_began",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("ended_at__isnull", True), ("ended_by", "")),
                                    models.Q(("ended_at__isnull", False), models.Q(("ended_by", ""), _negated=True)),
                                    _connector="OR",
                                ),
                                name="silence_was_ended_by_somebody",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("machine__isnull", True),
                                        ("model__isnull", True),
                                        ("scope", "site"),
                                        ("site__isnull", False),
                                    ),
                                    models.Q(("machine__isnull", True), ("model__isnull", False), ("scope", "model")),
                                    models.Q(
                                        ("machine__isnull", False),
                                        ("model__isnull", True),
                                        ("scope", "machine"),
                                        ("site__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="silence_has_one_scope",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=("check_id", "part", "scope", "site", "model", "machine"),
                                name="one_live_silence_per_check_and_scope",
                                nulls_distinct=False,
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SiteAutomation",
                    fields=[
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="automation",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        ("killed", models.BooleanField(default=False)),
                        ("killed_by", models.CharField(blank=True, max_length=150)),
                        ("killed_reason", models.CharField(blank=True, max_length=300)),
                        ("killed_at", models.DateTimeField(blank=True, null=True)),
                        ("breaker_open_at", models.DateTimeField(blank=True, null=True)),
                        ("breaker_reason", models.CharField(blank=True, max_length=300)),
                        (
                            "breaker_closed_at",
                            models.DateTimeField(
                                blank=True, help_text="Only what happened since then counts.", null=True
                            ),
                        ),
                        ("breaker_closed_by", models.CharField(blank=True, max_length=150)),
                        ("breaker_close_reason", models.CharField(blank=True, max_length=300)),
                        (
                            "drains_10min",
                            models.PositiveIntegerField(
                                default=2,
                                help_text="Automatic drains of a pool in 10 minutes (drains).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "drains_1h",
                            models.PositiveIntegerField(
                                default=5,
                                help_text="Automatic drains of a pool in an hour (drains).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(10000),
                                ],
                            ),
                        ),
                        (
                            "power_1h",
                            models.PositiveIntegerField(
                                default=4,
                                help_text="Power actions of the site in an hour (actions).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "power_spacing_s",
                            models.PositiveIntegerField(
                                default=30,
                                help_text="Between two power actions of the site (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(86400),
                                ],
                            ),
                        ),
                        (
                            "reboots_7d",
                            models.PositiveIntegerField(
                                default=2,
                                help_text="Reboots and power cycles in seven days (reboots).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "remediations_7d",
                            models.PositiveIntegerField(
                                default=5,
                                help_text="Remediations in seven days (actions).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "patience_s",
                            models.PositiveIntegerField(
                                default=1800,
                                help_text="Automation may wait for leave before a person is asked (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(604800),
                                ],
                            ),
                        ),
                        (
                            "golden_days",
                            models.PositiveIntegerField(
                                default=14,
                                help_text="Clean days after which a machine joins the golden set (days).",
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(3650),
                                ],
                            ),
                        ),
                        (
                            "cause_machines",
                            models.PositiveIntegerField(
                                default=2,
                                help_text="Machines with alike faults behind one cause; more are one incident (machines).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "power_off_s",
                            models.PositiveIntegerField(
                                default=120,
                                help_text="A machine stays off in a power cycle (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(3600),
                                ],
                            ),
                        ),
                        (
                            "breaker_ambiguous",
                            models.PositiveIntegerField(
                                default=2,
                                help_text="Ambiguous actions (actions).",
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "breaker_drained_machines",
                            models.PositiveIntegerField(
                                default=5,
                                help_text="Machines drained by automation, at least, before that share counts (machines).",
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(10000),
                                ],
                            ),
                        ),
                        (
                            "breaker_drained_share",
                            models.FloatField(
                                default=0.05,
                                help_text="Share of the site's machines drained by automation (share).",
                                validators=[
                                    django.core.validators.MinValueValidator(0.0),
                                    django.core.validators.MaxValueValidator(1.0),
                                ],
                            ),
                        ),
                        (
                            "breaker_drained_window_s",
                            models.PositiveIntegerField(
                                default=86400,
                                help_text="Drains within this time count for that share (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(60),
                                    django.core.validators.MaxValueValidator(604800),
                                ],
                            ),
                        ),
                        (
                            "breaker_failed_verifications",
                            models.PositiveIntegerField(
                                default=3,
                                help_text="Machines in a row whose verification failed (machines).",
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "breaker_refused_1h",
                            models.PositiveIntegerField(
                                default=5,
                                help_text="Incidents refused by a budget in an hour (incidents).",
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(10000),
                                ],
                            ),
                        ),
                        (
                            "cause_explains",
                            models.FloatField(
                                default=0.8,
                                help_text="Share of a mass failure that its cause must explain (share).",
                                validators=[
                                    django.core.validators.MinValueValidator(0.0),
                                    django.core.validators.MaxValueValidator(1.0),
                                ],
                            ),
                        ),
                        (
                            "cause_out_s",
                            models.PositiveIntegerField(
                                default=86400,
                                help_text="How long a drained machine counts for a common cause (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(604800),
                                ],
                            ),
                        ),
                        (
                            "cause_share",
                            models.FloatField(
                                default=0.5,
                                help_text="Share of a cause's machines that must be affected (share).",
                                validators=[
                                    django.core.validators.MinValueValidator(0.0),
                                    django.core.validators.MaxValueValidator(1.0),
                                ],
                            ),
                        ),
                        (
                            "cause_window_s",
                            models.PositiveIntegerField(
                                default=900,
                                help_text="Faults within this time may have one cause (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(60),
                                    django.core.validators.MaxValueValidator(86400),
                                ],
                            ),
                        ),
                        (
                            "clock_step_s",
                            models.PositiveIntegerField(
                                default=60,
                                help_text="Jump of a clock that stops automation (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(3600),
                                ],
                            ),
                        ),
                        (
                            "flaps_24h",
                            models.PositiveIntegerField(
                                default=4,
                                help_text="Changes from failing to passing in a day that make a check flapping (changes).",
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "inventory_age_s",
                            models.PositiveIntegerField(
                                default=900,
                                help_text="Oldest numbers that automation acts on (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(60),
                                    django.core.validators.MaxValueValidator(86400),
                                ],
                            ),
                        ),
                        (
                            "lease_s",
                            models.PositiveIntegerField(
                                default=120,
                                help_text="A worker's lease of an action (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(30),
                                    django.core.validators.MaxValueValidator(3600),
                                ],
                            ),
                        ),
                        (
                            "power_at_once",
                            models.PositiveIntegerField(
                                default=1,
                                help_text="Power actions of the site at once (actions).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "retries",
                            models.PositiveIntegerField(
                                default=12,
                                help_text="Actions of an incident never sent, before a person is asked (actions).",
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "retry_s",
                            models.PositiveIntegerField(
                                default=300,
                                help_text="After an action that was never sent (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(86400),
                                ],
                            ),
                        ),
                        (
                            "rollout_s",
                            models.PositiveIntegerField(
                                default=604800,
                                help_text="How long a new version of software counts as a roll-out (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(2592000),
                                ],
                            ),
                        ),
                        (
                            "suspicion_s",
                            models.PositiveIntegerField(
                                default=14400,
                                help_text="Suspicion of alike faults ends this long after the last one (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(60),
                                    django.core.validators.MaxValueValidator(604800),
                                ],
                            ),
                        ),
                        (
                            "suspicious_machines",
                            models.PositiveIntegerField(
                                default=3,
                                help_text="Machines of a pool with alike faults, at least, for a mass failure (machines).",
                                validators=[
                                    django.core.validators.MinValueValidator(2),
                                    django.core.validators.MaxValueValidator(10000),
                                ],
                            ),
                        ),
                        (
                            "suspicious_share",
                            models.FloatField(
                                default=0.03,
                                help_text="Share of a pool with alike faults that is a mass failure (share).",
                                validators=[
                                    django.core.validators.MinValueValidator(0.0),
                                    django.core.validators.MaxValueValidator(1.0),
                                ],
                            ),
                        ),
                        (
                            "min_unavailable",
                            models.PositiveIntegerField(
                                default=1,
                                help_text="Machines that may be out whatever the share of the pool says (machines).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(1000),
                                ],
                            ),
                        ),
                        (
                            "min_unavailable_from",
                            models.PositiveIntegerField(
                                default=4,
                                help_text="Pools of this size or more have that minimum (machines).",
                                validators=[
                                    django.core.validators.MinValueValidator(1),
                                    django.core.validators.MaxValueValidator(100000),
                                ],
                            ),
                        ),
                        (
                            "redrain_cooldown_s",
                            models.PositiveIntegerField(
                                default=14400,
                                help_text="Cooldown of a check after a person put the machine back (s).",
                                validators=[
                                    django.core.validators.MinValueValidator(0),
                                    django.core.validators.MaxValueValidator(604800),
                                ],
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "automation of sites",
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("killed", False),
                                    models.Q(
                                        ("killed_at__isnull", False),
                                        models.Q(("killed_by", ""), _negated=True),
                                        models.Q(("killed_reason", ""), _negated=True),
                                    ),
                                    _connector="OR",
                                ),
                                name="kill_switch_has_who_and_why",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("breaker_open_at", None),
                                    models.Q(("breaker_reason", ""), _negated=True),
                                    _connector="OR",
                                ),
                                name="open_breaker_has_a_reason",
                            ),
                            models.CheckConstraint(
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
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Sweep",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("scheduled", "Scheduled"),
                                    ("confirm", "Confirm"),
                                    ("verification", "Verification"),
                                    ("manual", "Manual"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "slot_at",
                            models.DateTimeField(blank=True, help_text="Start of the period it belongs to.", null=True),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("running", "Running"),
                                    ("finished", "Finished"),
                                    ("late", "Closed before every shard was done"),
                                ],
                                default="running",
                                max_length=8,
                            ),
                        ),
                        ("started_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("machines", models.PositiveIntegerField(default=0)),
                        ("heard", models.PositiveIntegerField(default=0)),
                        ("requested_by", models.CharField(blank=True, max_length=150)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="sweeps", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status", "running")), fields=["started_at"], name="sweep_running"
                            ),
                            models.Index(fields=["site", "-started_at"], name="sweep_of_site"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("slot_at__isnull", False)),
                                fields=("site", "kind", "slot_at"),
                                name="one_sweep_per_slot",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["scheduled", "confirm", "verification", "manual"])),
                                name="sweep_kind_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SweepShard",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveSmallIntegerField()),
                        (
                            "machine_ids",
                            django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("running", "Running"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                ],
                                default="waiting",
                                max_length=8,
                            ),
                        ),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("heard", models.PositiveIntegerField(default=0)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("error", models.CharField(blank=True, max_length=300)),
                        (
                            "sweep",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="shards", to="health.sweep"
                            ),
                        ),
                        (
                            "answered_s",
                            models.FloatField(
                                blank=True, help_text="Seconds until the last answer it waited for.", null=True
                            ),
                        ),
                        (
                            "lane",
                            models.CharField(
                                choices=[("fast", "Fast"), ("slow", "Slow")],
                                db_default="fast",
                                default="fast",
                                max_length=4,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["sweep", "number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("sweep", "number"), name="shard_number_in_sweep")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ThresholdOverride",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("check_id", models.CharField(max_length=60)),
                        ("reason", models.CharField(max_length=300)),
                        (
                            "owner",
                            models.CharField(help_text="User name of the person who answers for it.", max_length=150),
                        ),
                        ("expires_at", models.DateTimeField(blank=True, null=True)),
                        ("created_by", models.CharField(max_length=150)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("ended_by", models.CharField(blank=True, max_length=150)),
                        (
                            "scope",
                            models.CharField(
                                choices=[("site", "site"), ("model", "model"), ("machine", "machine")], max_length=7
                            ),
                        ),
                        ("thresholds", models.JSONField()),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "model",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.devicemodel",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "abstract": False,
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("reason", ""), _negated=True), name="thresholdoverride_has_a_reason"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("owner", ""), _negated=True), models.Q(("created_by", ""), _negated=True)
                                ),
                                name="thresholdoverride_has_an_owner",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("expires_at__isnull", True),
                                    ("expires_at__gt", models.F("created_at")),
                                    _connector="OR",
                                ),
                                name="thresholdoverride_expires_after_it_began",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("ended_at__isnull", True), ("ended_by", "")),
                                    models.Q(("ended_at__isnull", False), models.Q(("ended_by", ""), _negated=True)),
                                    _connector="OR",
                                ),
                                name="thresholdoverride_was_ended_by_somebody",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("machine__isnull", True),
                                        ("model__isnull", True),
                                        ("scope", "site"),
                                        ("site__isnull", False),
                                    ),
                                    models.Q(("machine__isnull", True), ("model__isnull", False), ("scope", "model")),
                                    models.Q(
                                        ("machine__isnull", False),
                                        ("model__isnull", True),
                                        ("scope", "machine"),
                                        ("site__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="thresholdoverride_has_one_scope",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=("check_id", "scope", "site", "model", "machine"),
                                name="one_live_override_per_check_and_scope",
                                nulls_distinct=False,
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("thresholds", {}), _negated=True), name="override_has_thresholds"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Verification",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "owner",
                            models.CharField(
                                help_text="Who asked, such as ticket:REP-2041; comes back in the event.", max_length=60
                            ),
                        ),
                        ("actor", models.CharField(max_length=150)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("running", "Running"),
                                    ("passed", "Passed"),
                                    ("failed", "Failed"),
                                ],
                                default="waiting",
                                max_length=8,
                            ),
                        ),
                        ("requested_at", models.DateTimeField()),
                        (
                            "boot_id",
                            models.CharField(
                                blank=True, help_text="Event cursor when it was requested.", max_length=36
                            ),
                        ),
                        ("at_us", models.BigIntegerField(default=-1)),
                        ("bmc_at_us", models.BigIntegerField(default=-1)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("next_try_at", models.DateTimeField()),
                        (
                            "deadline_at",
                            models.DateTimeField(help_text="A machine still unreachable at this time has failed."),
                        ),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        (
                            "results",
                            models.JSONField(default=list, help_text="[{check, part, verdict, message}] that decided."),
                        ),
                        ("faults", models.ManyToManyField(related_name="verifications", to="health.fault")),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="verifications",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status__in", ["waiting", "running"])),
                                fields=["next_try_at"],
                                name="verification_open",
                            )
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "running", "passed", "failed"])),
                                name="verification_status_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RemediationAction",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "key",
                            models.CharField(help_text="machine:incident:level:attempt", max_length=80, unique=True),
                        ),
                        ("check_id", models.CharField(max_length=60)),
                        ("rung", models.PositiveSmallIntegerField()),
                        ("remedy", models.CharField(max_length=30)),
                        ("attempt", models.PositiveSmallIntegerField(default=1)),
                        (
                            "params",
                            models.JSONField(
                                default=dict, help_text="What the remedy is about: the service, the GPU's slot."
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("planned", "planned"),
                                    ("granted", "granted"),
                                    ("sent", "sent"),
                                    ("confirmed", "confirmed"),
                                    ("failed", "failed"),
                                    ("ambiguous", "ambiguous"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="planned",
                                max_length=9,
                            ),
                        ),
                        (
                            "planned_by",
                            models.CharField(
                                help_text="Automation, or the person who started it by hand.", max_length=150
                            ),
                        ),
                        ("reason", models.CharField(max_length=300)),
                        (
                            "refused_by",
                            models.CharField(blank=True, help_text="The guard that said no last.", max_length=60),
                        ),
                        ("refused_reason", models.CharField(blank=True, max_length=300)),
                        ("refused_at", models.DateTimeField(blank=True, null=True)),
                        ("planned_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("granted_at", models.DateTimeField(blank=True, null=True)),
                        ("sent_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("deadline", models.DateTimeField(blank=True, null=True)),
                        ("lease_owner", models.CharField(blank=True, max_length=80)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("next_look_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("boot_id_before", models.CharField(blank=True, max_length=36)),
                        (
                            "report",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("", ""),
                                    ("accepted", "accepted"),
                                    ("done", "done"),
                                    ("failed", "failed"),
                                    ("refused", "refused"),
                                    ("impossible", "impossible"),
                                ],
                                default="",
                                max_length=10,
                            ),
                        ),
                        ("result", models.CharField(blank=True, max_length=300)),
                        ("evidence", models.JSONField(default=dict, help_text="What was seen before and after.")),
                        (
                            "verified",
                            models.BooleanField(
                                blank=True, help_text="What the verification after it said.", null=True
                            ),
                        ),
                        (
                            "fault",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="actions",
                                to="health.fault",
                            ),
                        ),
                        (
                            "incident",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="actions",
                                to="health.incident",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="remediation_actions",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "verification",
                            models.OneToOneField(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="action",
                                to="health.verification",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state__in", ("planned", "granted", "sent"))),
                                fields=["next_look_at"],
                                name="action_open",
                            ),
                            models.Index(fields=["machine", "-planned_at"], name="action_of_machine"),
                            models.Index(
                                condition=models.Q(("sent_at__isnull", False)), fields=["-sent_at"], name="action_sent"
                            ),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        ("planned", "granted", "sent", "confirmed", "failed", "ambiguous", "cancelled"),
                                    )
                                ),
                                name="action_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("rung__in", (1, 2, 3, 4, 5))), name="action_rung_is_automatic"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("sent_at", None), ("state__in", ("planned", "granted", "cancelled"))),
                                    models.Q(
                                        models.Q(("state__in", ("planned", "granted", "cancelled")), _negated=True),
                                        ("sent_at__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="action_sent_has_its_time",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("finished_at", None), ("state__in", ("planned", "granted", "sent"))),
                                    models.Q(
                                        models.Q(("state__in", ("planned", "granted", "sent")), _negated=True),
                                        ("finished_at__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="finished_action_has_its_time",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state__in", ["granted", "sent"]), _negated=True),
                                    ("lease_until__isnull", False),
                                    _connector="OR",
                                ),
                                name="action_has_its_lease",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("report__in", ("", "accepted", "done", "failed", "refused", "impossible"))
                                ),
                                name="action_report_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("planned_by", ""), _negated=True), name="action_has_a_planner"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("state__in", ("planned", "granted", "sent"))),
                                fields=("machine",),
                                name="one_open_action_per_machine",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ActiveMachine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("held", models.BooleanField(default=False)),
                        ("released_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="active_runs",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="health.activerun",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run", "machine"],
                        "constraints": [
                            models.UniqueConstraint(fields=("run", "machine"), name="machine_once_in_an_active_run"),
                            models.UniqueConstraint(
                                condition=models.Q(("released_at__isnull", True)),
                                fields=("machine",),
                                name="one_active_run_has_a_machine",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ActiveStep",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("round", models.PositiveSmallIntegerField()),
                        ("number", models.PositiveIntegerField()),
                        ("kind", models.CharField(max_length=20)),
                        (
                            "machine_ids",
                            django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None),
                        ),
                        ("adapter", models.CharField(blank=True, max_length=40)),
                        ("level", models.CharField(blank=True, max_length=8)),
                        (
                            "about",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=120), default=list, size=None
                            ),
                        ),
                        (
                            "partners",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=120), default=list, size=None
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("running", "Running"),
                                    ("done", "Done"),
                                    ("cancelled", "Cancelled"),
                                ],
                                default="waiting",
                                max_length=9,
                            ),
                        ),
                        (
                            "verdict",
                            models.CharField(
                                blank=True,
                                choices=[("pass", "Pass"), ("fail", "Fail"), ("unknown", "it gave no result")],
                                max_length=7,
                            ),
                        ),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("command", models.CharField(blank=True, max_length=500)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("deadline_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("findings", models.JSONField(default=list, help_text="What the checks say of its outputs.")),
                        ("output", models.TextField(blank=True, help_text="The beginning of what it printed.")),
                        (
                            "repeats",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="repeated_by",
                                to="health.activestep",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="steps", to="health.activerun"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run", "round", "number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("run", "round", "number"), name="active_step_number"),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "running", "done", "cancelled"])),
                                name="active_step_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("verdict__in", ["", "pass", "fail", "unknown"])),
                                name="active_step_verdict_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status", "done"), ("verdict", ""), _negated=True),
                                name="active_step_done_has_a_verdict",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IncidentMachine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("joined_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("recovered_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "incident",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="members",
                                to="health.incident",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="shared_incidents",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("recovered_at", None)),
                                fields=["machine"],
                                name="incident_machine_open",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("incident", "machine"), name="machine_once_in_an_incident")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ResponseOverride",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("reason", models.CharField(max_length=300)),
                        (
                            "owner",
                            models.CharField(help_text="User name of the person who answers for it.", max_length=150),
                        ),
                        ("expires_at", models.DateTimeField(blank=True, null=True)),
                        ("created_by", models.CharField(max_length=150)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("ended_by", models.CharField(blank=True, max_length=150)),
                        ("fault_class", models.CharField(max_length=60)),
                        (
                            "response",
                            models.CharField(
                                choices=[
                                    ("note", "note"),
                                    ("ticket", "ticket"),
                                    ("cordon", "cordon"),
                                    ("drain", "drain"),
                                    ("drain_now", "drain_now"),
                                ],
                                max_length=9,
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "abstract": False,
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("reason", ""), _negated=True), name="responseoverride_has_a_reason"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("owner", ""), _negated=True), models.Q(("created_by", ""), _negated=True)
                                ),
                                name="responseoverride_has_an_owner",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("expires_at__isnull", True),
                                    ("expires_at__gt", models.F("created_at")),
                                    _connector="OR",
                                ),
                                name="responseoverride_expires_after_it_began",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("ended_at__isnull", True), ("ended_by", "")),
                                    models.Q(("ended_at__isnull", False), models.Q(("ended_by", ""), _negated=True)),
                                    _connector="OR",
                                ),
                                name="responseoverride_was_ended_by_somebody",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=("fault_class", "site"),
                                name="one_live_response_per_class",
                                nulls_distinct=False,
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("response__in", ["note", "ticket", "cordon", "drain", "drain_now"])
                                ),
                                name="response_override_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SlowMachine",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="slow_lane",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("since", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("reason", models.CharField(max_length=300)),
                    ],
                ),
            ]
        ),
        migrations.RunSQL(_sql.TABLES),
        migrations.RunPython(fill_transitions),
    ]
