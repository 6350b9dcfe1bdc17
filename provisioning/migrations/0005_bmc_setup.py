"""BMC set-up: profiles, readings, passwords and runs; the step of provisioning runs.

New tables, one column with a default, and two constraints of machines in runs: at once.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0004_maas_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0004_pallet_to_service"),
    ]

    operations = [
        migrations.CreateModel(
            name="BmcPassword",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[("own", "own"), ("changing", "changing"), ("kept", "kept"), ("refused", "refused")],
                        max_length=10,
                    ),
                ),
                ("message", models.CharField(blank=True, max_length=500)),
                ("candidate", models.BinaryField(blank=True, null=True)),
                ("written", models.BooleanField(default=True, help_text="The candidate was sent, or may have been.")),
                (
                    "rounds",
                    models.PositiveSmallIntegerField(default=0, help_text="Times that both passwords were tried."),
                ),
                ("next_try_at", models.DateTimeField(blank=True, null=True)),
                (
                    "changed_at",
                    models.DateTimeField(blank=True, help_text="When the one in force was first used.", null=True),
                ),
                ("changed_by", models.CharField(blank=True, max_length=150)),
            ],
            options={
                "ordering": ["machine"],
            },
        ),
        migrations.CreateModel(
            name="BmcProfile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("settings", models.JSONField(default=list, help_text="[{area, name, value}]")),
                ("firmware", models.JSONField(default=list, help_text="[{component, version, image}]")),
                ("changed_at", models.DateTimeField(auto_now=True)),
                ("changed_by", models.CharField(max_length=150)),
            ],
            options={
                "ordering": ["model__slug"],
            },
        ),
        migrations.CreateModel(
            name="BmcReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("found", models.JSONField(default=dict, help_text="{area: {name: value}}")),
                ("pending", models.JSONField(default=dict, help_text="What waits for the next start, likewise.")),
                ("firmware", models.JSONField(default=list, help_text="[{id, name, version, path}]")),
                ("settings_differ", models.PositiveIntegerField(default=0)),
                ("firmware_differ", models.PositiveIntegerField(default=0)),
                ("problem", models.CharField(blank=True, help_text="Why the last try told nothing.", max_length=500)),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("next_at", models.DateTimeField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["machine"],
            },
        ),
        migrations.CreateModel(
            name="BmcRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "action",
                    models.CharField(
                        choices=[("password", "password"), ("settings", "settings"), ("firmware", "firmware")],
                        max_length=10,
                    ),
                ),
                ("dry_run", models.BooleanField(default=True)),
                (
                    "restart",
                    models.BooleanField(
                        default=False, help_text="Restart machines where something waits for their start."
                    ),
                ),
                ("canary", models.PositiveSmallIntegerField(default=1, help_text="So many machines go first, alone.")),
                ("limit", models.PositiveIntegerField(default=8, help_text="Machines of a wave after the canary.")),
                (
                    "stop_share",
                    models.FloatField(
                        default=0.2, help_text="Share of failed machines, over 0 to 1, that stops the run."
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("failed", "failed"),
                            ("stopped", "stopped"),
                            ("cancelled", "cancelled"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "message",
                    models.CharField(blank=True, help_text="Why it stopped, or what it waits for.", max_length=500),
                ),
                ("cancelled_by", models.CharField(blank=True, max_length=150)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("created_by", models.CharField(max_length=150)),
                (
                    "next_at",
                    models.DateTimeField(blank=True, help_text="When its machines are checked again.", null=True),
                ),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="BmcRunMachine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("ok", "ok"),
                            ("failed", "failed"),
                            ("unreachable", "unreachable"),
                            ("refused", "refused"),
                            ("cancelled", "cancelled"),
                        ],
                        default="waiting",
                        max_length=12,
                    ),
                ),
                ("wave", models.PositiveIntegerField(blank=True, null=True)),
                ("message", models.CharField(blank=True, max_length=1000)),
                ("data", models.JSONField(default=dict)),
                ("log", models.JSONField(default=list, help_text="[{at, text}], oldest first.")),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["run", "id"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="returnedmachine",
            name="returned_machine_class_is_known",
        ),
        migrations.RemoveConstraint(
            model_name="runmachine",
            name="run_machine_step_is_known",
        ),
        migrations.RemoveConstraint(
            model_name="runmachine",
            name="failed_exactly_with_a_class",
        ),
        migrations.AddField(
            model_name="run",
            name="bmc_setup",
            field=models.BooleanField(db_default=False, default=False, help_text="The BMCs are set up first."),
        ),
        migrations.AddConstraint(
            model_name="returnedmachine",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "failure_class__in",
                        [
                            "no_bmc",
                            "bmc_refuses",
                            "wrong_identity",
                            "bmc_setup_failed",
                            "no_power",
                            "no_post",
                            "no_link",
                            "wrong_port",
                            "no_pxe_request",
                            "no_installer",
                            "install_disk",
                            "install_network",
                            "install_package",
                            "install_failed",
                            "no_phone_home",
                            "no_ssh",
                            "part_missing",
                            "drive_failed",
                            "pcie_narrow",
                            "clock_wrong",
                            "checks_failed",
                            "no_engine",
                            "record_lost",
                            "commission_failed",
                            "wrong_hardware",
                        ],
                    )
                ),
                name="returned_machine_class_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="runmachine",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "step__in",
                        [
                            "identity",
                            "bmc_setup",
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
                                "bmc_refuses",
                                "wrong_identity",
                                "bmc_setup_failed",
                                "no_power",
                                "no_post",
                                "no_link",
                                "wrong_port",
                                "no_pxe_request",
                                "no_installer",
                                "install_disk",
                                "install_network",
                                "install_package",
                                "install_failed",
                                "no_phone_home",
                                "no_ssh",
                                "part_missing",
                                "drive_failed",
                                "pcie_narrow",
                                "clock_wrong",
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
        migrations.AddField(
            model_name="bmcpassword",
            name="machine",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="bmc_password", to="inventory.machine"
            ),
        ),
        migrations.AddField(
            model_name="bmcprofile",
            name="model",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="bmc_profile", to="inventory.devicemodel"
            ),
        ),
        migrations.AddField(
            model_name="bmcreading",
            name="machine",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE, related_name="bmc_reading", to="inventory.machine"
            ),
        ),
        migrations.AddField(
            model_name="bmcrun",
            name="part_of",
            field=models.ForeignKey(
                blank=True,
                help_text="The machine of a provisioning run at its step bmc_setup; empty: started by a person.",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="bmc_runs",
                to="provisioning.runmachine",
            ),
        ),
        migrations.AddField(
            model_name="bmcrun",
            name="site",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="bmc_runs", to="core.site"
            ),
        ),
        migrations.AddField(
            model_name="bmcrunmachine",
            name="machine",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="bmc_run_machines", to="inventory.machine"
            ),
        ),
        migrations.AddField(
            model_name="bmcrunmachine",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="machines", to="provisioning.bmcrun"
            ),
        ),
        migrations.AddConstraint(
            model_name="bmcpassword",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["own", "changing", "kept", "refused"])),
                name="bmc_password_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="bmcpassword",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "changing"), _negated=True), ("candidate__isnull", False), _connector="OR"
                ),
                name="bmc_password_changing_has_candidate",
            ),
        ),
        migrations.AddConstraint(
            model_name="bmcpassword",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ["own", "kept"]), _negated=True),
                    ("candidate__isnull", True),
                    _connector="OR",
                ),
                name="bmc_password_settled_has_none",
            ),
        ),
        migrations.AddIndex(
            model_name="bmcreading",
            index=models.Index(fields=["next_at"], name="bmc_reading_due"),
        ),
        migrations.AddConstraint(
            model_name="bmcrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["waiting", "running", "done", "failed", "stopped", "cancelled"])),
                name="bmc_run_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="bmcrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("action__in", ["password", "settings", "firmware"])), name="bmc_run_action_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="bmcrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("limit__gte", 1)), name="bmc_run_limit_is_at_least_one"
            ),
        ),
        migrations.AddConstraint(
            model_name="bmcrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("stop_share__gt", 0), ("stop_share__lte", 1)), name="bmc_run_stop_share_is_a_share"
            ),
        ),
        migrations.AddConstraint(
            model_name="bmcrunmachine",
            constraint=models.UniqueConstraint(fields=("run", "machine"), name="machine_once_in_a_bmc_run"),
        ),
        migrations.AddConstraint(
            model_name="bmcrunmachine",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["waiting", "running"])),
                fields=("machine",),
                name="machine_in_one_open_bmc_run",
            ),
        ),
        migrations.AddConstraint(
            model_name="bmcrunmachine",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["waiting", "running", "ok", "failed", "unreachable", "refused", "cancelled"])
                ),
                name="bmc_machine_status_is_known",
            ),
        ),
    ]
