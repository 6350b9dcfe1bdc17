"""Container images on machines. New tables: at once."""

import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [("health", "0009_launch_ways"), ("inventory", "0001_initial")]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="MachineImages",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="images_seen",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "engines",
                            models.JSONField(default=dict, help_text="{engine: why it did not tell; empty: it told}."),
                        ),
                        ("digest", models.CharField(max_length=32)),
                        ("changed_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="MachineImage",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "engine",
                            models.CharField(
                                choices=[("docker", "Docker"), ("containerd", "Containerd"), ("enroot", "Enroot")],
                                max_length=12,
                            ),
                        ),
                        (
                            "reference",
                            models.CharField(
                                help_text="With registry and tag; of Enroot the path of the file.", max_length=255
                            ),
                        ),
                        (
                            "digest",
                            models.CharField(
                                blank=True, help_text="That of the registry; empty: the engine has none.", max_length=71
                            ),
                        ),
                        (
                            "image_id",
                            models.CharField(blank=True, help_text="That of the image's configuration.", max_length=71),
                        ),
                        ("size_bytes", models.BigIntegerField(null=True)),
                        (
                            "made_at",
                            models.DateTimeField(
                                help_text="When it was built; of a file, when it was written.", null=True
                            ),
                        ),
                        ("seen_at", models.DateTimeField(help_text="The check that showed it first.")),
                        (
                            "machine",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="images",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["reference", "machine"], name="machines_of_image")],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("machine", "engine", "reference", "digest", "image_id"),
                                name="one_row_an_image",
                            )
                        ],
                    },
                ),
            ]
        )
    ]
