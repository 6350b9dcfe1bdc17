"""Placements of container images, and the mirrors of a site.

New tables: at once.
"""

import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0004_maas_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0004_pallet_to_service"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="MachineSources",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="sources",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("told_at", models.DateTimeField(blank=True, null=True)),
                        ("asked_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "message",
                            models.CharField(
                                blank=True, help_text="Why it did not tell; empty: it told.", max_length=500
                            ),
                        ),
                        ("urls", models.JSONField(default=list, help_text="[{tool, url}], as its files name them.")),
                        (
                            "reached",
                            models.JSONField(default=dict, help_text="{mirror id: [answers, milliseconds, text]}."),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="ImagePlacement",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("action", models.CharField(choices=[("place", "Place"), ("remove", "Remove")], max_length=6)),
                        (
                            "engine",
                            models.CharField(
                                choices=[("docker", "docker"), ("containerd", "containerd"), ("enroot", "enroot")],
                                max_length=12,
                            ),
                        ),
                        (
                            "reference",
                            models.CharField(
                                help_text="With registry and tag; to remove one of Enroot its file.", max_length=255
                            ),
                        ),
                        (
                            "digest",
                            models.CharField(
                                blank=True, help_text="Empty until the registry said what the tag means.", max_length=71
                            ),
                        ),
                        (
                            "size_bytes",
                            models.BigIntegerField(
                                help_text="What one machine pulls, as far as the registry said.", null=True
                            ),
                        ),
                        ("dry_run", models.BooleanField(default=True)),
                        (
                            "canary",
                            models.PositiveSmallIntegerField(default=1, help_text="So many machines go first, alone."),
                        ),
                        (
                            "limit",
                            models.PositiveIntegerField(default=64, help_text="Machines at once after the canary."),
                        ),
                        (
                            "rack_limit",
                            models.PositiveIntegerField(
                                default=4, help_text="Machines at once in one rack, of all placements."
                            ),
                        ),
                        (
                            "registry_limit",
                            models.PositiveIntegerField(
                                default=64, help_text="Machines at once that pull from its registry, of all placements."
                            ),
                        ),
                        (
                            "stop_share",
                            models.FloatField(
                                default=0.2, help_text="Share of failed machines, over 0 to 1, that stops it."
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
                            models.CharField(
                                blank=True, help_text="Why it stopped, or what it waits for.", max_length=500
                            ),
                        ),
                        ("cancelled_by", models.CharField(blank=True, max_length=150)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("created_by", models.CharField(max_length=150)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("attempts", models.PositiveIntegerField(default=0)),
                        (
                            "next_at",
                            models.DateTimeField(blank=True, help_text="When a worker looks at it next.", null=True),
                        ),
                        ("lease", models.UUIDField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="image_placements",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("status__in", ["waiting", "running", "done", "failed", "stopped", "cancelled"])
                                ),
                                name="placement_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("action__in", ["place", "remove"])),
                                name="placement_action_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("engine__in", ("docker", "containerd", "enroot"))),
                                name="placement_engine_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("digest__regex", "^(sha256:[0-9a-f]{64})?$")),
                                name="placement_digest_is_one",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("limit__gte", 1), ("rack_limit__gte", 1), ("registry_limit__gte", 1)
                                ),
                                name="placement_limits_are_at_least_one",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("stop_share__gt", 0), ("stop_share__lte", 1)),
                                name="placement_stop_share_is_a_share",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Mirror",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("apt", "Apt"),
                                    ("pypi", "Pypi"),
                                    ("files", "Files"),
                                    ("registry", "Registry"),
                                    ("cache", "Cache"),
                                    ("peers", "Peers"),
                                ],
                                max_length=8,
                            ),
                        ),
                        (
                            "url",
                            models.CharField(
                                help_text="As machines fetch from it, such as https://mirror.example/ubuntu.",
                                max_length=300,
                            ),
                        ),
                        (
                            "authorities",
                            models.TextField(
                                blank=True,
                                help_text="Certificates (PEM) of who signed its own; empty: the system's authorities.",
                            ),
                        ),
                        ("enabled", models.BooleanField(default=True)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("unknown", "Unknown"),
                                    ("good", "Good"),
                                    ("slow", "Slow"),
                                    ("failed", "Failed"),
                                ],
                                default="unknown",
                                max_length=7,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("version", models.CharField(blank=True, max_length=100)),
                        ("certificate_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "failures",
                            models.PositiveIntegerField(default=0, help_text="Times in a row that it did not answer."),
                        ),
                        (
                            "latencies",
                            models.JSONField(
                                default=list, help_text="[[epoch seconds, milliseconds or null], ..], newest last."
                            ),
                        ),
                        (
                            "every_s",
                            models.PositiveIntegerField(default=60, help_text="Seconds between two requests to it."),
                        ),
                        ("asked_at", models.DateTimeField(blank=True, null=True)),
                        ("good_at", models.DateTimeField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="mirrors", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="mirror_name_at_site"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("kind__in", ["apt", "pypi", "files", "registry", "cache", "peers"])
                                ),
                                name="mirror_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("every_s__gte", 15)), name="mirror_is_asked_at_most_every_15_s"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["unknown", "good", "slow", "failed"])),
                                name="mirror_state_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PlacedImage",
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
                        (
                            "rack",
                            models.CharField(
                                blank=True, help_text="Where it stood when it was asked for.", max_length=100
                            ),
                        ),
                        ("wave", models.PositiveIntegerField(blank=True, null=True)),
                        ("attempt", models.PositiveSmallIntegerField(default=1)),
                        (
                            "identity",
                            models.CharField(
                                blank=True, help_text="The digest, or the size, read there afterwards.", max_length=71
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("begun_at", models.DateTimeField(blank=True, null=True)),
                        ("look_at", models.DateTimeField(blank=True, help_text="When it is asked next.", null=True)),
                        (
                            "silent",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Times in a row that it did not answer."
                            ),
                        ),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="placed_images",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "placement",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="provisioning.imageplacement",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["placement", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("placement", "machine"), name="machine_once_in_a_placement"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["waiting", "running"])),
                                fields=("machine",),
                                name="machine_in_one_open_placement",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "status__in",
                                        ["waiting", "running", "ok", "failed", "unreachable", "refused", "cancelled"],
                                    )
                                ),
                                name="placed_image_status_is_known",
                            ),
                        ],
                    },
                ),
            ]
        ),
    ]
