import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("core", "0001_initial"),
        ("inventory", "0001_initial"),
    ]

    operations = [
        AtOnce(
            [
                migrations.CreateModel(
                    name="Endpoint",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("kind", models.CharField(choices=[("ssh", "SSH"), ("redfish", "Redfish")], max_length=8)),
                        (
                            "address",
                            models.GenericIPAddressField(
                                blank=True, help_text="Empty: the inventory's address.", null=True
                            ),
                        ),
                        (
                            "port",
                            models.PositiveIntegerField(
                                blank=True, help_text="Empty: 22 for SSH, 443 for Redfish.", null=True
                            ),
                        ),
                        (
                            "credential",
                            models.ForeignKey(
                                blank=True,
                                help_text="Empty: the credential named 'ssh' or 'bmc'.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="endpoints",
                                to="core.credential",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="endpoints",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["machine", "kind"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("machine", "kind"), name="one_endpoint_per_machine_and_kind"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["ssh", "redfish"])), name="endpoint_kind_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("port__isnull", True),
                                    models.Q(("port__gte", 1), ("port__lte", 65535)),
                                    _connector="OR",
                                ),
                                name="endpoint_port_is_a_port",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IdentityChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("kind", models.CharField(choices=[("ssh", "SSH"), ("redfish", "Redfish")], max_length=8)),
                        ("known", models.CharField(help_text="Fingerprint in force when it was seen.", max_length=64)),
                        (
                            "presented",
                            models.TextField(help_text="Public key line, or fingerprint of the certificate."),
                        ),
                        ("presented_fingerprint", models.CharField(max_length=64)),
                        ("first_seen_at", models.DateTimeField()),
                        ("last_seen_at", models.DateTimeField()),
                        ("times_seen", models.PositiveIntegerField(default=1)),
                        ("resolved_at", models.DateTimeField(blank=True, null=True)),
                        ("resolved_by", models.CharField(blank=True, max_length=150)),
                        (
                            "resolution",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("accepted", "Accepted"),
                                    ("overtaken", "overtaken: a new key was installed or accepted"),
                                ],
                                max_length=10,
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="identity_changes",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-last_seen_at", "-id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("resolved_at__isnull", True)),
                                fields=("machine", "kind", "presented_fingerprint"),
                                name="one_open_change_per_identity",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["ssh", "redfish"])),
                                name="identity_change_kind_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="KnownHost",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("key", models.TextField(help_text="Algorithm and public key, as in a known_hosts file.")),
                        ("fingerprint", models.CharField(max_length=60)),
                        (
                            "source",
                            models.CharField(
                                choices=[
                                    ("first_contact", "first contact"),
                                    ("installed", "installed by a provisioning run"),
                                    ("accepted", "a change accepted by a person"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("recorded_at", models.DateTimeField(auto_now_add=True)),
                        ("recorded_by", models.CharField(blank=True, max_length=150)),
                        ("replaced_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="known_hosts",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["machine", "-id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("replaced_at__isnull", True)),
                                fields=("machine",),
                                name="one_known_host_key_per_machine",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("source__in", ["first_contact", "installed", "accepted"])),
                                name="known_host_source_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PinnedCertificate",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "fingerprint",
                            models.CharField(
                                help_text="SHA-256 of the certificate, in hexadecimal digits.", max_length=64
                            ),
                        ),
                        (
                            "source",
                            models.CharField(
                                choices=[
                                    ("first_contact", "first contact"),
                                    ("installed", "installed by a provisioning run"),
                                    ("accepted", "a change accepted by a person"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("recorded_at", models.DateTimeField(auto_now_add=True)),
                        ("recorded_by", models.CharField(blank=True, max_length=150)),
                        ("replaced_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="pinned_certificates",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["machine", "-id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("replaced_at__isnull", True)),
                                fields=("machine",),
                                name="one_pinned_certificate_per_machine",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("source__in", ["first_contact", "installed", "accepted"])),
                                name="pinned_source_is_known",
                            ),
                        ],
                    },
                ),
            ]
        ),
    ]
