"""Pools declared to have no scheduler; mass failures as incidents of a common cause; limits as columns of their site."""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models
from django.utils import timezone

from core.work.at_once import AtOnce


def checks_become_trusted(apps, schema_editor):
    """A check that automation muted for a whole site is trusted again: suspicion restrains automation, not detection.

    Its incident is closed and kept as one without a known common cause. Two statements, whatever the fleet.
    """
    now = timezone.now()
    apps.get_model("health", "ObserveOnly").objects.filter(created_by="automation", ended_at=None).update(
        ended_at=now, ended_by="automation"
    )
    old = apps.get_model("health", "Incident").objects.filter(kind="check")
    old.filter(closed_at=None).update(
        closed_at=now, closed_by="automation", close_reason="a suspected check is no longer muted"
    )
    old.update(kind="shared", cause_kind="site", code=models.F("cause"), cause="")


class Migration(migrations.Migration):
    # What a database that was made before these two became one has applied.
    replaces = [("health", "0004_no_scheduler_declared"), ("health", "0005_mass_incidents")]

    dependencies = [
        ("core", "0001_initial"),
        ("health", "0003_responses"),
        ("inventory", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="pool",
            name="no_scheduler",
            field=models.BooleanField(
                default=False, help_text="A person declares that no scheduler gives work to these machines."
            ),
        ),
        migrations.AddField(
            model_name="pool",
            name="no_scheduler_by",
            field=models.CharField(blank=True, default="", max_length=150),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="pool",
            name="no_scheduler_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="schedulerwish",
            name="by",
            field=models.CharField(
                blank=True,
                default="",
                help_text="A person, or the part of the service that wanted it.",
                max_length=150,
            ),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="pool",
            constraint=models.CheckConstraint(
                condition=models.Q(("no_scheduler", False))
                | models.Q(("no_scheduler_at__isnull", False), models.Q(("no_scheduler_by", ""), _negated=True)),
                name="pool_without_scheduler_has_who_and_when",
            ),
        ),
        migrations.RenameField("siteautomation", "same_cause", "cause_machines"),
        migrations.RenameField("siteautomation", "off_s", "power_off_s"),
        migrations.CreateModel(
            name="IncidentMachine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("joined_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("recovered_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        AtOnce(
            [
                migrations.RemoveConstraint(
                    model_name="incident",
                    name="incident_kind_is_known",
                ),
                migrations.RemoveConstraint(
                    model_name="incident",
                    name="incident_cause_fits_its_kind",
                ),
                migrations.RemoveConstraint(
                    model_name="incident",
                    name="one_open_incident_per_cause",
                ),
                migrations.AddField(
                    model_name="incident",
                    name="cause_due",
                    field=models.BooleanField(
                        default=False,
                        help_text="Others fail alike: its ticket waits for the next round to look for a common cause.",
                    ),
                ),
                migrations.AddField(
                    model_name="incident",
                    name="code",
                    field=models.CharField(
                        blank=True,
                        default="",
                        help_text="Of those faults: the number of the Xid, or their message.",
                        max_length=120,
                    ),
                ),
                migrations.AddField(
                    model_name="incident",
                    name="fault_class",
                    field=models.CharField(
                        blank=True, default="", help_text="Of the faults that are alike.", max_length=60
                    ),
                ),
                migrations.AddField(
                    model_name="incident",
                    name="lift_reason",
                    field=models.CharField(blank=True, default="", max_length=300),
                ),
                migrations.AddField(
                    model_name="incident",
                    name="lifted_by",
                    field=models.CharField(
                        blank=True, default="", help_text="Who lifted the suspicion.", max_length=150
                    ),
                ),
                migrations.AddField(
                    model_name="incident",
                    name="suspect_until",
                    field=models.DateTimeField(
                        blank=True,
                        help_text="Until then automation leaves every fault of this class and code alone.",
                        null=True,
                    ),
                ),
                migrations.AddField(
                    model_name="incident",
                    name="text",
                    field=models.TextField(
                        blank=True, default="", help_text="How well the cause explains it, and what else may."
                    ),
                ),
                migrations.AddField(
                    model_name="incident",
                    name="verify_by",
                    field=models.DateTimeField(
                        blank=True,
                        help_text="A person said that it is mended: its machines have until then to pass.",
                        null=True,
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="breaker_ambiguous",
                    field=models.PositiveIntegerField(
                        default=2,
                        help_text="Ambiguous actions (actions).",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="breaker_drained_machines",
                    field=models.PositiveIntegerField(
                        default=5,
                        help_text="Machines drained by automation, at least, before that share counts (machines).",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="breaker_drained_share",
                    field=models.FloatField(
                        default=0.05,
                        help_text="Share of the site's machines drained by automation (share).",
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="breaker_drained_window_s",
                    field=models.PositiveIntegerField(
                        default=86400,
                        help_text="Drains within this time count for that share (s).",
                        validators=[
                            django.core.validators.MinValueValidator(60),
                            django.core.validators.MaxValueValidator(604800),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="breaker_failed_verifications",
                    field=models.PositiveIntegerField(
                        default=3,
                        help_text="Machines in a row whose verification failed (machines).",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="breaker_refused_1h",
                    field=models.PositiveIntegerField(
                        default=5,
                        help_text="Incidents refused by a budget in an hour (incidents).",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="cause_explains",
                    field=models.FloatField(
                        default=0.8,
                        help_text="Share of a mass failure that its cause must explain (share).",
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="cause_out_s",
                    field=models.PositiveIntegerField(
                        default=86400,
                        help_text="How long a drained machine counts for a common cause (s).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(604800),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="cause_share",
                    field=models.FloatField(
                        default=0.5,
                        help_text="Share of a cause's machines that must be affected (share).",
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="cause_window_s",
                    field=models.PositiveIntegerField(
                        default=900,
                        help_text="Faults within this time may have one cause (s).",
                        validators=[
                            django.core.validators.MinValueValidator(60),
                            django.core.validators.MaxValueValidator(86400),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="clock_step_s",
                    field=models.PositiveIntegerField(
                        default=60,
                        help_text="Jump of a clock that stops automation (s).",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(3600),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="flaps_24h",
                    field=models.PositiveIntegerField(
                        default=4,
                        help_text="Changes from failing to passing in a day that make a check flapping (changes).",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="inventory_age_s",
                    field=models.PositiveIntegerField(
                        default=900,
                        help_text="Oldest numbers that automation acts on (s).",
                        validators=[
                            django.core.validators.MinValueValidator(60),
                            django.core.validators.MaxValueValidator(86400),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="lease_s",
                    field=models.PositiveIntegerField(
                        default=120,
                        help_text="A worker's lease of an action (s).",
                        validators=[
                            django.core.validators.MinValueValidator(30),
                            django.core.validators.MaxValueValidator(3600),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="least_out",
                    field=models.PositiveIntegerField(
                        default=1,
                        help_text="Machines that may be out whatever the share of the pool says (machines).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="least_out_from",
                    field=models.PositiveIntegerField(
                        default=4,
                        help_text="Pools of this size or more have that minimum (machines).",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(100000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="power_at_once",
                    field=models.PositiveIntegerField(
                        default=1,
                        help_text="Power actions of the site at once (actions).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="retries",
                    field=models.PositiveIntegerField(
                        default=12,
                        help_text="Actions of an incident never sent, before a person is asked (actions).",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="retry_s",
                    field=models.PositiveIntegerField(
                        default=300,
                        help_text="After an action that was never sent (s).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(86400),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="rollout_s",
                    field=models.PositiveIntegerField(
                        default=604800,
                        help_text="How long a new version of software counts as a roll-out (s).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(2592000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="suspicion_s",
                    field=models.PositiveIntegerField(
                        default=14400,
                        help_text="Suspicion of alike faults ends this long after the last one (s).",
                        validators=[
                            django.core.validators.MinValueValidator(60),
                            django.core.validators.MaxValueValidator(604800),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="suspicious_machines",
                    field=models.PositiveIntegerField(
                        default=3,
                        help_text="Machines of a pool with alike faults, at least, for a mass failure (machines).",
                        validators=[
                            django.core.validators.MinValueValidator(2),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="suspicious_share",
                    field=models.FloatField(
                        default=0.03,
                        help_text="Share of a pool with alike faults that is a mass failure (share).",
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                    ),
                ),
                migrations.AddField(
                    model_name="siteautomation",
                    name="undrained_rest_s",
                    field=models.PositiveIntegerField(
                        default=14400,
                        help_text="Cooldown of a check after a person put the machine back (s).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(604800),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="incident",
                    name="cause",
                    field=models.CharField(
                        blank=True, help_text="Name of the rack, switch, feed or version.", max_length=120
                    ),
                ),
                migrations.AlterField(
                    model_name="incident",
                    name="cause_kind",
                    field=models.CharField(
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
                migrations.AlterField(
                    model_name="incident",
                    name="kind",
                    field=models.CharField(
                        choices=[("machine", "Machine"), ("shared", "The same trouble on several machines")],
                        max_length=7,
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="cause_machines",
                    field=models.PositiveIntegerField(
                        default=2,
                        help_text="Machines with alike faults behind one cause; more are one incident (machines).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="drains_10min",
                    field=models.PositiveIntegerField(
                        default=2,
                        help_text="Automatic drains of a pool in 10 minutes (drains).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="drains_1h",
                    field=models.PositiveIntegerField(
                        default=5,
                        help_text="Automatic drains of a pool in an hour (drains).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(10000),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="golden_days",
                    field=models.PositiveIntegerField(
                        default=14,
                        help_text="Clean days after which a machine joins the golden set (days).",
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(3650),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="patience_s",
                    field=models.PositiveIntegerField(
                        default=1800,
                        help_text="Automation may wait for leave before a person is asked (s).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(604800),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="power_1h",
                    field=models.PositiveIntegerField(
                        default=4,
                        help_text="Power actions of the site in an hour (actions).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="power_off_s",
                    field=models.PositiveIntegerField(
                        default=120,
                        help_text="A machine stays off in a power cycle (s).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(3600),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="power_spacing_s",
                    field=models.PositiveIntegerField(
                        default=30,
                        help_text="Between two power actions of the site (s).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(86400),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="reboots_7d",
                    field=models.PositiveIntegerField(
                        default=2,
                        help_text="Reboots and power cycles in seven days (reboots).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
                migrations.AlterField(
                    model_name="siteautomation",
                    name="remediations_7d",
                    field=models.PositiveIntegerField(
                        default=5,
                        help_text="Remediations in seven days (actions).",
                        validators=[
                            django.core.validators.MinValueValidator(0),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                    ),
                ),
            ]
        ),
        migrations.RunPython(checks_become_trusted, migrations.RunPython.noop),
        AtOnce(
            [
                migrations.AddConstraint(
                    model_name="incident",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("kind__in", ["machine", "shared"])), name="incident_kind_is_known"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="incident",
                    constraint=models.CheckConstraint(
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
                ),
                migrations.AddConstraint(
                    model_name="incident",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("closed_at", None), ("machine", None)),
                        fields=("site", "cause_kind", "cause", "fault_class", "code"),
                        name="one_open_incident_per_cause",
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
                            ("least_out__range", (0, 1000)),
                            ("least_out_from__range", (1, 100000)),
                            ("patience_s__range", (0, 604800)),
                            ("power_1h__range", (0, 1000)),
                            ("power_at_once__range", (0, 1000)),
                            ("power_off_s__range", (0, 3600)),
                            ("power_spacing_s__range", (0, 86400)),
                            ("reboots_7d__range", (0, 1000)),
                            ("remediations_7d__range", (0, 1000)),
                            ("retries__range", (1, 1000)),
                            ("retry_s__range", (0, 86400)),
                            ("rollout_s__range", (0, 2592000)),
                            ("suspicion_s__range", (60, 604800)),
                            ("suspicious_machines__range", (2, 10000)),
                            ("suspicious_share__range", (0, 1)),
                            ("undrained_rest_s__range", (0, 604800)),
                        ),
                        name="limits_are_in_range",
                    ),
                ),
                migrations.AddField(
                    model_name="incidentmachine",
                    name="incident",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="members", to="health.incident"
                    ),
                ),
                migrations.AddField(
                    model_name="incidentmachine",
                    name="machine",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shared_incidents",
                        to="inventory.machine",
                    ),
                ),
                migrations.AddIndex(
                    model_name="incidentmachine",
                    index=models.Index(
                        condition=models.Q(("recovered_at", None)), fields=["machine"], name="incident_machine_open"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="incidentmachine",
                    constraint=models.UniqueConstraint(
                        fields=("incident", "machine"), name="machine_once_in_an_incident"
                    ),
                ),
            ]
        ),
    ]
