import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    initial = True

    # What a database of the version before has applied: with all of it, there is nothing left to do here.
    replaces = [
        ("provisioning", "0002_silent_looks"),
    ]

    dependencies = [
        ("core", "0001_initial"),
        ("inventory", "0001_initial"),
    ]

    operations = [
        AtOnce(
            [
                migrations.CreateModel(
                    name="Run",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(blank=True, max_length=100)),
                        ("engine", models.CharField(default="redfish", max_length=20)),
                        (
                            "limit",
                            models.PositiveIntegerField(default=8, help_text="How many of its machines run at once."),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "waiting"),
                                    ("running", "running"),
                                    ("done", "done"),
                                    ("failed", "failed"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="waiting",
                                max_length=10,
                            ),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("created_by", models.CharField(max_length=150)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("status__in", ["waiting", "running", "done", "failed", "cancelled"])
                                ),
                                name="run_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("limit__gte", 1)), name="run_limit_is_at_least_one"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RunMachine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                                    ("cancelled", "cancelled"),
                                ],
                                default="waiting",
                                max_length=10,
                            ),
                        ),
                        ("step", models.CharField(default="identity", max_length=20)),
                        ("attempt", models.PositiveSmallIntegerField(default=0)),
                        ("failure_class", models.CharField(blank=True, max_length=20)),
                        ("failure_text", models.CharField(blank=True, max_length=500)),
                        (
                            "ticket",
                            models.CharField(
                                blank=True, help_text="Key of the ticket opened for the failure.", max_length=20
                            ),
                        ),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "host_key",
                            models.TextField(blank=True, help_text="Public host key given out with the install data."),
                        ),
                        ("verification_id", models.BigIntegerField(blank=True, null=True)),
                        ("log_count", models.PositiveIntegerField(default=0)),
                        ("lease", models.UUIDField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("heartbeat_at", models.DateTimeField(blank=True, null=True)),
                        ("next_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "lost_workers",
                            models.PositiveSmallIntegerField(default=0, help_text="Workers lost in the current step."),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="run_machines",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="provisioning.run",
                            ),
                        ),
                        (
                            "silent_looks",
                            models.PositiveIntegerField(
                                db_default=0,
                                default=0,
                                help_text="Checks in a row at which its BMC or SSH timed out without an answer.",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run", "id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status", "running")), fields=["next_at"], name="run_machine_due"
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("run", "machine"), name="machine_once_in_a_run"),
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["waiting", "running"])),
                                fields=("machine",),
                                name="machine_in_one_open_run",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("status__in", ["waiting", "running", "done", "failed", "cancelled"])
                                ),
                                name="run_machine_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "step__in",
                                        [
                                            "identity",
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
                            models.CheckConstraint(
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
                                            ],
                                        ),
                                        ("status", "failed"),
                                    ),
                                    models.Q(models.Q(("status", "failed"), _negated=True), ("failure_class", "")),
                                    _connector="OR",
                                ),
                                name="failed_exactly_with_a_class",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LogLine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("n", models.PositiveIntegerField()),
                        ("at", models.DateTimeField(auto_now_add=True)),
                        ("step", models.CharField(max_length=20)),
                        ("text", models.CharField(max_length=1000)),
                        (
                            "run_machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="log_lines",
                                to="provisioning.runmachine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run_machine", "n"],
                        "constraints": [models.UniqueConstraint(fields=("run_machine", "n"), name="log_line_number")],
                    },
                ),
                migrations.CreateModel(
                    name="BootToken",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("mac", models.CharField(help_text="The address the boot script was given to.", max_length=17)),
                        ("token_hash", models.CharField(max_length=64, unique=True)),
                        ("client_address", models.GenericIPAddressField(blank=True, null=True)),
                        ("issued_at", models.DateTimeField(auto_now_add=True)),
                        ("expires_at", models.DateTimeField()),
                        ("user_data_at", models.DateTimeField(blank=True, null=True)),
                        ("phoned_home_at", models.DateTimeField(blank=True, null=True)),
                        ("revoked_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "run_machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="boot_tokens",
                                to="provisioning.runmachine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("phoned_home_at__isnull", True), ("revoked_at__isnull", True)),
                                fields=("run_machine",),
                                name="one_live_boot_token",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Step",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveSmallIntegerField()),
                        ("name", models.CharField(max_length=20)),
                        ("title", models.CharField(max_length=80)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "waiting"),
                                    ("running", "running"),
                                    ("done", "done"),
                                    ("failed", "failed"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="waiting",
                                max_length=10,
                            ),
                        ),
                        ("attempt", models.PositiveSmallIntegerField(default=0)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("deadline_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("detail", models.CharField(blank=True, max_length=500)),
                        ("data", models.JSONField(default=dict)),
                        (
                            "run_machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="steps",
                                to="provisioning.runmachine",
                            ),
                        ),
                        (
                            "looks",
                            models.PositiveIntegerField(db_default=0, default=0, help_text="Checks in this attempt."),
                        ),
                    ],
                    options={
                        "ordering": ["run_machine", "number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run_machine", "number"), name="step_number_in_run_machine"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("status__in", ["waiting", "running", "done", "failed", "cancelled"])
                                ),
                                name="step_status_is_known",
                            ),
                        ],
                    },
                ),
            ]
        ),
    ]
