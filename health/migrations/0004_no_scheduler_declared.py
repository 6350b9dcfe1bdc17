from django.db import migrations, models


class Migration(migrations.Migration):
    """Additive: three columns of the pools, one of the wishes; both tables are small."""

    dependencies = [
        ("health", "0003_responses"),
    ]

    operations = [
        migrations.AddField(
            model_name="pool",
            name="no_scheduler",
            field=models.BooleanField(
                default=False, help_text="A person declares that no scheduler gives work to these machines."
            ),
        ),
        migrations.AddField(
            model_name="pool",
            name="no_scheduler_by",
            field=models.CharField(blank=True, default="", max_length=150),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="pool",
            name="no_scheduler_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="schedulerwish",
            name="by",
            field=models.CharField(
                blank=True,
                default="",
                help_text="A person, or the part of the service that wanted it.",
                max_length=150,
            ),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="pool",
            constraint=models.CheckConstraint(
                condition=models.Q(("no_scheduler", False))
                | models.Q(("no_scheduler_at__isnull", False), models.Q(("no_scheduler_by", ""), _negated=True)),
                name="pool_without_scheduler_has_who_and_when",
            ),
        ),
    ]
