"""Links taken out of use on purpose. New tables: no time at all."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0005_audit_rows_as_text"),
        ("fabric", "0001_initial"),
        ("inventory", "0013_rows_and_ports_belong"),
    ]

    operations = [
        migrations.CreateModel(
            name="PortPolicy",
            fields=[
                (
                    "site",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="port_policy",
                        serialize=False,
                        to="core.site",
                    ),
                ),
                (
                    "automation",
                    models.CharField(
                        choices=[("dry_run", "Write down what would be done"), ("on", "Do it")],
                        default="dry_run",
                        max_length=7,
                    ),
                ),
                (
                    "approval",
                    models.CharField(
                        choices=[
                            ("person", "An operator approves each"),
                            ("policy", "Approved by itself within the budget"),
                        ],
                        default="person",
                        max_length=6,
                    ),
                ),
                (
                    "budget",
                    models.PositiveIntegerField(
                        default=8, help_text="Links out of use up to which it approves by itself."
                    ),
                ),
                (
                    "floor_share",
                    models.FloatField(
                        default=0.75, help_text="Share of a switch's links to a tier that has to remain, 0 to 1."
                    ),
                ),
                (
                    "remind_after_days",
                    models.PositiveSmallIntegerField(default=3, help_text="Out of use for longer: said daily."),
                ),
            ],
            options={
                "verbose_name_plural": "port policies",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("floor_share__gte", 0), ("floor_share__lte", 1)),
                        name="port_floor_is_a_share",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("automation__in", ["dry_run", "on"])), name="port_automation_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("approval__in", ["person", "policy"])), name="port_approval_is_known"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PortAction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "action",
                    models.CharField(
                        choices=[
                            ("isolate", "no traffic is routed over it"),
                            ("disable", "the subnet manager does not look beyond it"),
                        ],
                        default="isolate",
                        max_length=7,
                    ),
                ),
                ("link", models.CharField(help_text="Key of the link, as in /api/fabric/links/.", max_length=170)),
                ("a_name", models.CharField(max_length=110)),
                ("a_number", models.PositiveSmallIntegerField()),
                ("a_guid", models.CharField(max_length=64)),
                ("b_name", models.CharField(max_length=110)),
                ("b_number", models.PositiveSmallIntegerField()),
                ("b_guid", models.CharField(max_length=64)),
                (
                    "owner",
                    models.CharField(help_text="Who wants it, such as ticket:REP-2041 or person.", max_length=60),
                ),
                ("cause", models.CharField(max_length=300)),
                ("evidence", models.JSONField(default=dict, help_text="What it was proposed on.")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("proposed", "Proposed"),
                            ("refused", "Refused"),
                            ("dry_run", "approved, and only written down"),
                            ("approved", "to be carried out"),
                            ("held", "out of use"),
                            ("unknown", "the source was asked and did not answer"),
                            ("failed", "the source refused"),
                            ("free", "in use again"),
                        ],
                        default="proposed",
                        max_length=8,
                    ),
                ),
                (
                    "wanted",
                    models.CharField(choices=[("held", "held"), ("free", "free")], default="held", max_length=4),
                ),
                ("message", models.CharField(blank=True, help_text="Why it stands as it does.", max_length=500)),
                ("proposed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("proposed_by", models.CharField(max_length=150)),
                ("approved_at", models.DateTimeField(blank=True, null=True)),
                ("approved_by", models.CharField(blank=True, max_length=150)),
                ("held_at", models.DateTimeField(blank=True, null=True)),
                ("free_wanted_at", models.DateTimeField(blank=True, null=True)),
                ("free_wanted_by", models.CharField(blank=True, max_length=150)),
                ("free_reason", models.CharField(blank=True, max_length=300)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("reminded_at", models.DateTimeField(blank=True, null=True)),
                (
                    "attempts",
                    models.PositiveIntegerField(default=0, help_text="Without success since the wish changed."),
                ),
                ("next_try_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "a_port",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="inventory.port",
                    ),
                ),
                (
                    "b_port",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="inventory.port",
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="port_actions", to="core.site"
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="port_actions",
                        to="fabric.fabricsource",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["owner"], name="port_action_owner"),
                    models.Index(fields=["site", "-id"], name="port_action_of_site"),
                    models.Index(
                        condition=models.Q(("state__in", ["approved", "unknown", "failed", "held"])),
                        fields=["next_try_at"],
                        name="port_action_to_do",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["refused", "free"]), _negated=True),
                        fields=("source", "link", "owner"),
                        name="one_live_action_per_link_and_owner",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "state__in",
                                ["proposed", "refused", "dry_run", "approved", "held", "unknown", "failed", "free"],
                            )
                        ),
                        name="port_action_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("wanted__in", ["held", "free"])), name="port_action_wish_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["proposed", "refused", "free"]),
                            models.Q(("approved_by", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="port_action_was_approved",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("a_guid", ""), _negated=True), models.Q(("b_guid", ""), _negated=True)
                        ),
                        name="port_action_has_both_ends",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", False), ("state__in", ["refused", "free"])),
                            models.Q(
                                models.Q(("state__in", ["refused", "free"]), _negated=True), ("ended_at__isnull", True)
                            ),
                            _connector="OR",
                        ),
                        name="ended_port_action_has_its_time",
                    ),
                ],
            },
        ),
    ]
