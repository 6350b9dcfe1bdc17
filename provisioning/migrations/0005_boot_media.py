"""Boot media, what a run installs, and the steps and failures of media."""

import django.db.models.deletion
from django.db import migrations, models

CLASSES = [
    "no_bmc",
    "bmc_refuses",
    "wrong_identity",
    "no_power",
    "no_post",
    "no_link",
    "wrong_port",
    "no_pxe_request",
    "no_media",
    "media_unlicensed",
    "media_in_use",
    "media_stuck",
    "booted_elsewhere",
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
]


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0001_initial"),
        ("provisioning", "0004_pallet_to_service"),
    ]

    operations = [
        # Runs from the image of iPXE went the steps of a network boot, and are that from now on.
        migrations.RunSQL("UPDATE provisioning_run SET engine = 'redfish' WHERE engine = 'virtual_media'", ""),
        migrations.CreateModel(
            name="BootMedium",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("file", models.CharField(help_text="The image that it is made of.", max_length=80)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                (
                    "content",
                    models.BinaryField(
                        default=b"",
                        help_text="Its address and what differs from machine to machine, encrypted; empty once closed.",
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "read_at",
                    models.DateTimeField(
                        blank=True, help_text="When something of it was read last, to 5 s.", null=True
                    ),
                ),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0, help_text="To take it out after its run.")),
                ("next_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-id"],
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
            name="image",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="What is installed, by name; empty: what the site installs by network boot.",
                max_length=40,
            ),
        ),
        migrations.AddConstraint(
            model_name="returnedmachine",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "failure_class__in",
                        CLASSES,
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
                            "maas_record",
                            "commission",
                            "hardware",
                            "deploy",
                            "boot_override",
                            "insert_media",
                            "power_on",
                            "boot_script",
                            "install_data",
                            "phone_home",
                            "eject_media",
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
                            CLASSES,
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
            model_name="bootmedium",
            name="run_machine",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="media", to="provisioning.runmachine"
            ),
        ),
        migrations.AddConstraint(
            model_name="bootmedium",
            constraint=models.UniqueConstraint(
                condition=models.Q(("closed_at__isnull", True)), fields=("run_machine",), name="one_open_boot_medium"
            ),
        ),
        migrations.AddConstraint(
            model_name="bootmedium",
            constraint=models.CheckConstraint(
                condition=models.Q(("closed_at__isnull", True), ("content", b""), _connector="OR"),
                name="closed_boot_medium_is_empty",
            ),
        ),
    ]
