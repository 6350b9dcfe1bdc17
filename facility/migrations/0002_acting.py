"""What a site lets be done in an emergency. Columns with a default: at once."""

from django.db import migrations, models
from django.db.models import Q

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [("facility", "0001_initial")]

    operations = [
        AtOnce(
            operations=[
                migrations.AddField(
                    model_name="policy",
                    name="emergency_gpu_percent",
                    field=models.PositiveSmallIntegerField(
                        blank=True,
                        help_text="Of its model's power limit, what a GPU may draw in an emergency; null: none is limited.",
                        null=True,
                    ),
                ),
                migrations.AddField(
                    model_name="policy",
                    name="shut_down_at_once",
                    field=models.PositiveSmallIntegerField(
                        db_default=8, default=8, help_text="How many machines may be on their way down at a time."
                    ),
                ),
                migrations.AddConstraint(
                    model_name="policy",
                    constraint=models.CheckConstraint(
                        condition=Q(emergency_gpu_percent=None) | Q(emergency_gpu_percent__range=(20, 100)),
                        name="emergency_limit_is_a_share",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="policy",
                    constraint=models.CheckConstraint(
                        condition=Q(shut_down_at_once__gte=1), name="machines_can_be_shut_down"
                    ),
                ),
            ]
        )
    ]
