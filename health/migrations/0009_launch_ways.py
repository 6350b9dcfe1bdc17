"""Ways to launch an all-reduce over machines. A new table, and a column with a default: at once."""

import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [("core", "0001_initial"), ("health", "0008_kubernetes")]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="LaunchWay",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        ("position", models.PositiveSmallIntegerField(default=0)),
                        ("enabled", models.BooleanField(default=True)),
                        (
                            "way",
                            models.CharField(
                                choices=[("ssh", "Ssh"), ("mpi", "Mpi"), ("torchrun", "Torchrun"), ("srun", "Srun")],
                                max_length=8,
                            ),
                        ),
                        (
                            "program",
                            models.CharField(
                                choices=[("nccl-tests", "Nccl Tests"), ("torch", "Torch")],
                                default="nccl-tests",
                                max_length=10,
                            ),
                        ),
                        (
                            "command",
                            models.CharField(
                                blank=True, help_text="With {program}; empty: the usual one.", max_length=1000
                            ),
                        ),
                        ("partition", models.CharField(blank=True, max_length=60)),
                        ("account", models.CharField(blank=True, max_length=60)),
                        (
                            "reservation",
                            models.CharField(
                                blank=True, help_text="One of ours: its name begins with rackside.", max_length=60
                            ),
                        ),
                        (
                            "image",
                            models.CharField(
                                blank=True, help_text="Of the container that pyxis starts.", max_length=300
                            ),
                        ),
                        (
                            "mounts",
                            models.CharField(
                                blank=True, help_text="/FROM:/TO, with commas between them.", max_length=300
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="launch_ways",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "position", "id"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="launch_way_once_at_a_site"),
                            models.CheckConstraint(
                                condition=models.Q(("way__in", ["ssh", "mpi", "torchrun", "srun"])),
                                name="launch_way_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("program__in", ["nccl-tests", "torch"])),
                                name="launch_program_is_known",
                            ),
                        ],
                    },
                ),
                migrations.AddField(
                    model_name="activerun",
                    name="launch",
                    field=models.JSONField(
                        db_default={},
                        default=dict,
                        help_text="Of groups: the way in which they are launched, as it was then.",
                    ),
                ),
            ]
        )
    ]
