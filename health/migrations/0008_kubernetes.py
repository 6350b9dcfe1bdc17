"""Kubernetes beside Slurm: what its source needs, and the containers of a job. Columns with a default: at once."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import health.schedulers.models
from core.work.at_once import AtOnce

KINDS = [("slurm", "Slurm"), ("kubernetes", "Kubernetes"), ("none", "None")]


class Migration(migrations.Migration):
    dependencies = [("core", "0003_kubernetes_credentials"), ("health", "0007_sample_without_vals")]

    operations = [
        AtOnce(
            operations=[
                migrations.AlterField(
                    model_name="schedulersource",
                    name="kind",
                    field=models.CharField(choices=KINDS, default="slurm", max_length=10),
                ),
                migrations.AlterField(
                    model_name="schedulersource",
                    name="credential",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="User name, with a token or the cluster's JWT key in base64 as its secret. Kubernetes: the token of a service account.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="core.credential",
                    ),
                ),
                migrations.AlterField(
                    model_name="schedulersource",
                    name="partition",
                    field=models.CharField(
                        blank=True,
                        help_text="Only machines of this partition; Kubernetes: nodes with these labels (KEY=VALUE,..); empty: all.",
                        max_length=60,
                    ),
                ),
                migrations.AlterField(
                    model_name="schedulersource",
                    name="url",
                    field=models.CharField(
                        blank=True,
                        help_text="Of slurmrestd, or of the Kubernetes API; empty: read by scontrol.",
                        max_length=200,
                    ),
                ),
                migrations.AddField(
                    model_name="schedulersource",
                    name="ca",
                    field=models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Kubernetes: the authority that signed the certificate of the url, in PEM; empty: one that this server trusts.",
                    ),
                ),
                migrations.AddField(
                    model_name="schedulersource",
                    name="user_label",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Kubernetes: the label of pods that says whose they are; empty: none does.",
                        max_length=317,
                    ),
                ),
                migrations.AddField(
                    model_name="schedulerjob",
                    name="containers",
                    field=django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=12),
                        db_default=[],
                        default=health.schedulers.models.no_containers,
                        help_text="Begins of the ids of its containers, where the scheduler knows them.",
                        size=None,
                    ),
                ),
                migrations.RemoveConstraint(model_name="schedulersource", name="scheduler_kind_is_known"),
            ]
        ),
        migrations.AddConstraint(
            model_name="schedulersource",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["slurm", "kubernetes", "none"])), name="scheduler_kind_is_known"
            ),
        ),
    ]
