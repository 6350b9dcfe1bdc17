import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0005_audit_rows_as_text"),
        ("health", "0002_time_series"),
        ("inventory", "0013_rows_and_ports_belong"),
    ]

    operations = [
        migrations.AddField(
            model_name="machinehealth",
            name="stuck",
            field=models.BooleanField(default=False, help_text="It is longer in its state than that should take."),
        ),
        migrations.AlterField(
            model_name="fault",
            name="drain",
            field=models.CharField(
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
        migrations.CreateModel(
            name="Incident",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("machine", "Machine"),
                            ("shared", "One cause for several machines"),
                            ("check", "A check that fails on too many machines at once"),
                        ],
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
                            ("switch", "Switch"),
                            ("feed", "Feed"),
                            ("check", "Check"),
                        ],
                        default="",
                        max_length=6,
                    ),
                ),
                (
                    "cause",
                    models.CharField(
                        blank=True, help_text="Name of the rack, switch or feed; id of the check.", max_length=120
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("opened_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("closed_by", models.CharField(blank=True, max_length=150)),
                ("close_reason", models.CharField(blank=True, max_length=300)),
                (
                    "drained_by_us",
                    models.BooleanField(default=False, help_text="Automation took the machine out for it."),
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
                    models.BooleanField(default=False, help_text="A remedy is on for it: no ticket has opened yet."),
                ),
                (
                    "refused_at",
                    models.DateTimeField(blank=True, help_text="When a guard last said no to automation.", null=True),
                ),
                ("refused_by", models.CharField(blank=True, max_length=60)),
                (
                    "needs_person_at",
                    models.DateTimeField(blank=True, help_text="From here on automation leaves it alone.", null=True),
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
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.AddField(
            model_name="fault",
            name="incident",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="faults",
                to="health.incident",
            ),
        ),
        migrations.CreateModel(
            name="RemediationAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(help_text="machine:incident:rung:attempt", max_length=80, unique=True)),
                ("check_id", models.CharField(max_length=60)),
                ("rung", models.PositiveSmallIntegerField()),
                ("remedy", models.CharField(max_length=30)),
                ("attempt", models.PositiveSmallIntegerField(default=1)),
                (
                    "params",
                    models.JSONField(default=dict, help_text="What the remedy is about: the service, the GPU's slot."),
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
                ("planned_by", models.CharField(max_length=150)),
                ("reason", models.CharField(max_length=300)),
                ("refused_by", models.CharField(blank=True, help_text="The guard that said no last.", max_length=60)),
                ("refused_reason", models.CharField(blank=True, max_length=300)),
                ("refused_at", models.DateTimeField(blank=True, null=True)),
                ("planned_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("granted_at", models.DateTimeField(blank=True, null=True)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("deadline", models.DateTimeField(blank=True, null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=80)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("next_look_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("boot_id_before", models.CharField(blank=True, max_length=36)),
                ("power_before", models.CharField(blank=True, max_length=8)),
                (
                    "step",
                    models.CharField(
                        blank=True, help_text="How far a remedy of several steps is, such as off.", max_length=20
                    ),
                ),
                ("result", models.CharField(blank=True, max_length=300)),
                ("evidence", models.JSONField(default=dict, help_text="What was seen before and after.")),
                (
                    "verified",
                    models.BooleanField(blank=True, help_text="What the verification after it said.", null=True),
                ),
                (
                    "overridden_by",
                    models.CharField(blank=True, help_text="Who let it run past a guard.", max_length=150),
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="actions", to="health.incident"
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
            },
        ),
        migrations.CreateModel(
            name="RemedySwitch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
                    models.DateTimeField(blank=True, help_text="Only what happened since then counts.", null=True),
                ),
                ("breaker_closed_by", models.CharField(blank=True, max_length=150)),
                ("breaker_close_reason", models.CharField(blank=True, max_length=300)),
                (
                    "drains_10min",
                    models.PositiveIntegerField(
                        default=2,
                        help_text="New automatic drains of a pool in ten minutes.",
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
                        help_text="New automatic drains of a pool in an hour.",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                    ),
                ),
                (
                    "same_cause",
                    models.PositiveIntegerField(
                        default=2,
                        help_text="Machines of one rack, switch or feed; more are one incident for a person.",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                (
                    "power_1h",
                    models.PositiveIntegerField(
                        default=4,
                        help_text="Power actions of the site in an hour.",
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
                        help_text="Seconds between two power actions of the site.",
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
                        help_text="Reboots and power cycles of one machine in seven days.",
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
                        help_text="Actions on one machine in seven days; more is a case for a person.",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                (
                    "off_s",
                    models.PositiveIntegerField(
                        default=120,
                        help_text="Seconds a machine stays off in a power cycle.",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(3600),
                        ],
                    ),
                ),
                (
                    "patience_s",
                    models.PositiveIntegerField(
                        default=1800,
                        help_text="Seconds automation may wait for leave before a person is called.",
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
                            ("breaker_open_at", None), models.Q(("breaker_reason", ""), _negated=True), _connector="OR"
                        ),
                        name="open_breaker_has_a_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AllowedWindow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="allowed_windows", to="core.site"
                    ),
                ),
            ],
            options={
                "ordering": ["site", "id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("weekdays__gte", 1), ("weekdays__lte", 127)), name="window_has_weekdays"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("from_time", models.F("to_time")), _negated=True),
                        name="window_has_a_length",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(fields=["machine", "-opened_at"], name="incident_of_machine"),
        ),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["machine", "shared", "check"])), name="incident_kind_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("cause_kind", ""), ("kind", "machine"), ("machine__isnull", False)),
                    models.Q(
                        ("cause_kind__in", ["rack", "switch", "feed"]), ("kind", "shared"), ("machine__isnull", True)
                    ),
                    models.Q(("cause_kind", "check"), ("kind", "check"), ("machine__isnull", True)),
                    _connector="OR",
                ),
                name="incident_cause_fits_its_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("closed_at__isnull", True), ("closed_by", "")),
                    models.Q(("closed_at__isnull", False), models.Q(("closed_by", ""), _negated=True)),
                    _connector="OR",
                ),
                name="closed_incident_has_its_closer",
            ),
        ),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.UniqueConstraint(
                condition=models.Q(("closed_at", None), ("kind", "machine")),
                fields=("machine",),
                name="one_open_incident_per_machine",
            ),
        ),
        migrations.AddConstraint(
            model_name="incident",
            constraint=models.UniqueConstraint(
                condition=models.Q(("closed_at", None), ("machine", None)),
                fields=("site", "cause_kind", "cause"),
                name="one_open_incident_per_cause",
            ),
        ),
        migrations.AddIndex(
            model_name="remediationaction",
            index=models.Index(
                condition=models.Q(("state__in", ("planned", "granted", "sent"))),
                fields=["next_look_at"],
                name="action_open",
            ),
        ),
        migrations.AddIndex(
            model_name="remediationaction",
            index=models.Index(fields=["machine", "-planned_at"], name="action_of_machine"),
        ),
        migrations.AddIndex(
            model_name="remediationaction",
            index=models.Index(condition=models.Q(("sent_at__isnull", False)), fields=["-sent_at"], name="action_sent"),
        ),
        migrations.AddConstraint(
            model_name="remediationaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ("planned", "granted", "sent", "confirmed", "failed", "ambiguous", "cancelled"))
                ),
                name="action_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="remediationaction",
            constraint=models.CheckConstraint(
                condition=models.Q(("rung__in", (1, 2, 3, 4, 5))), name="action_rung_is_automatic"
            ),
        ),
        migrations.AddConstraint(
            model_name="remediationaction",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="remediationaction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at", None), ("state__in", ("planned", "granted", "sent"))),
                    models.Q(
                        models.Q(("state__in", ("planned", "granted", "sent")), _negated=True),
                        ("ended_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="ended_action_has_its_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="remediationaction",
            constraint=models.CheckConstraint(
                condition=models.Q(("planned_by", ""), _negated=True), name="action_has_a_planner"
            ),
        ),
        migrations.AddConstraint(
            model_name="remediationaction",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("planned", "granted", "sent"))),
                fields=("machine",),
                name="one_open_action_per_machine",
            ),
        ),
        migrations.AddConstraint(
            model_name="remedyswitch",
            constraint=models.UniqueConstraint(
                fields=("check_id", "remedy", "site"), name="one_switch_per_remedy", nulls_distinct=False
            ),
        ),
        migrations.AddConstraint(
            model_name="remedyswitch",
            constraint=models.CheckConstraint(
                condition=models.Q(("mode__in", ["dry_run", "on"])), name="remedy_mode_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="remedyswitch",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="remedy_switch_has_a_reason"
            ),
        ),
    ]
