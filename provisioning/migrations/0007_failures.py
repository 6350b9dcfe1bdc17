"""Why a machine of a run failed: more classes, and what shows them. A new table and a constraint: at once."""

import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("provisioning", "0003_intake"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="FailureEvidence",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("attempt", models.PositiveSmallIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[("bmc", "Bmc"), ("installer", "Installer"), ("checks", "Checks")],
                                max_length=10,
                            ),
                        ),
                        ("at", models.DateTimeField(auto_now_add=True)),
                        (
                            "text",
                            models.TextField(help_text="At most 64 KiB, of a log its end; without keys and tokens."),
                        ),
                        (
                            "run_machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="evidence",
                                to="provisioning.runmachine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run_machine", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run_machine", "attempt", "kind"), name="evidence_once_an_attempt"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["bmc", "installer", "checks"])),
                                name="failure_evidence_kind_is_known",
                            ),
                        ],
                    },
                ),
                migrations.RemoveConstraint(
                    model_name="runmachine",
                    name="failed_exactly_with_a_class",
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
        )
    ]
