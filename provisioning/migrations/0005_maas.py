"""MAAS regions, and the steps and failures of their engine. New tables, and two constraints checked over the machines of
runs: at once."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0004_maas_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0004_software"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="MaasRegion",
                    fields=[
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="maas_region",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        ("enabled", models.BooleanField(default=False)),
                        (
                            "url",
                            models.CharField(
                                blank=True, help_text="Such as https://maas.example:5443/MAAS.", max_length=200
                            ),
                        ),
                        (
                            "credential",
                            models.ForeignKey(
                                blank=True,
                                help_text="Its secret is the API key.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="core.credential",
                            ),
                        ),
                        (
                            "authorities",
                            models.TextField(
                                blank=True,
                                help_text="Certificates (PEM) of who signed the region's; empty: the system's authorities.",
                            ),
                        ),
                        (
                            "series",
                            models.CharField(
                                default="jammy", help_text="The distro series that is deployed.", max_length=20
                            ),
                        ),
                        (
                            "commissioning_scripts",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=60),
                                blank=True,
                                default=list,
                                help_text="Scripts or tags besides MAAS's own.",
                                size=None,
                            ),
                        ),
                        (
                            "enlist",
                            models.BooleanField(
                                default=False,
                                help_text="Whether machines that MAAS does not have are enlisted: it is given the login of their BMC then.",
                            ),
                        ),
                        (
                            "mark_broken",
                            models.CharField(
                                choices=[("off", "Off"), ("idle", "Idle"), ("all", "All")],
                                default="off",
                                help_text="Machines in repair: none, those nobody has in MAAS, or all. MAAS releases what it marks broken.",
                                max_length=4,
                            ),
                        ),
                        (
                            "release",
                            models.BooleanField(
                                default=False,
                                help_text="Whether machines that are retired, or whose run was cancelled, are released.",
                            ),
                        ),
                        (
                            "erase",
                            models.CharField(
                                choices=[("none", "None"), ("quick", "Quick"), ("secure", "Secure"), ("full", "Full")],
                                default="none",
                                help_text="At each release.",
                                max_length=6,
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[("never", "Never"), ("good", "Good"), ("failed", "Failed")],
                                default="never",
                                max_length=6,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("tried_at", models.DateTimeField(blank=True, null=True)),
                        ("last_good_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "last_event_id",
                            models.BigIntegerField(blank=True, help_text="Its newest event that was read.", null=True),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("mark_broken__in", ["off", "idle", "all"])),
                                name="maas_broken_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("erase__in", ["none", "quick", "secure", "full"])),
                                name="maas_erase_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["never", "good", "failed"])),
                                name="maas_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("enabled", False),
                                    models.Q(models.Q(("url", ""), _negated=True), ("credential__isnull", False)),
                                    _connector="OR",
                                ),
                                name="maas_enabled_with_key",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MaasMachine",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="maas",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "region",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="provisioning.maasregion",
                            ),
                        ),
                        ("system_id", models.CharField(max_length=40)),
                        ("hostname", models.CharField(max_length=255)),
                        ("status", models.SmallIntegerField()),
                        ("status_text", models.CharField(max_length=300)),
                        ("seen_at", models.DateTimeField()),
                        (
                            "wanted",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("mark_broken", "mark_broken"),
                                    ("mark_fixed", "mark_fixed"),
                                    ("release", "release"),
                                ],
                                max_length=12,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("region", "system_id"), name="maas_record_of_one_machine"),
                            models.CheckConstraint(
                                condition=models.Q(("wanted__in", ["", "mark_broken", "mark_fixed", "release"])),
                                name="maas_wanted_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MaasWrite",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="maas_writes",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("mark_broken", "mark_broken"),
                                    ("mark_fixed", "mark_fixed"),
                                    ("release", "release"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("done", "Done"),
                                    ("dry_run", "Dry Run"),
                                    ("dropped", "Dropped"),
                                ],
                                default="waiting",
                                max_length=8,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        (
                            "comment",
                            models.CharField(blank=True, help_text="As MAAS got it, or would have.", max_length=300),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
                        ("attempts", models.PositiveIntegerField(default=0)),
                        ("next_try_at", models.DateTimeField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["mark_broken", "mark_fixed", "release"])),
                                name="maas_write_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "done", "dry_run", "dropped"])),
                                name="maas_write_status_is_known",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("status", "waiting")),
                                fields=("machine",),
                                name="one_waiting_maas_write",
                            ),
                        ],
                    },
                ),
                migrations.RemoveConstraint(
                    model_name="runmachine",
                    name="run_machine_step_is_known",
                ),
                migrations.RemoveConstraint(
                    model_name="runmachine",
                    name="failed_exactly_with_a_class",
                ),
            ]
        ),
        migrations.AddConstraint(
            model_name="runmachine",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "step__in",
                        [
                            "identity",
                            "maas_record",
                            "commission",
                            "hardware",
                            "deploy",
                            "boot_override",
                            "power_on",
                            "boot_script",
                            "install_data",
                            "phone_home",
                            "ssh",
                            "checks",
                            "ready",
                        ],
                    )
                ),
                name="run_machine_step_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="runmachine",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        (
                            "failure_class__in",
                            [
                                "no_bmc",
                                "wrong_identity",
                                "no_link",
                                "no_pxe_request",
                                "install_failed",
                                "no_ssh",
                                "checks_failed",
                                "no_engine",
                                "record_lost",
                                "commission_failed",
                                "wrong_hardware",
                            ],
                        ),
                        ("status", "failed"),
                    ),
                    models.Q(models.Q(("status", "failed"), _negated=True), ("failure_class", "")),
                    _connector="OR",
                ),
                name="failed_exactly_with_a_class",
            ),
        ),
    ]
