"""The column says what the field says: a machine is reachable, late, unreachable or was never reached.

One update of a row a machine: 15 ms for 511, 0.2 s for 5,110.
"""

from typing import ClassVar

from django.db import migrations, models

from core.work.at_once import AtOnce

WORDS = {"heard": "reachable", "silent": "unreachable"}


def say(words: dict[str, str]) -> str:
    cases = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in words.items())
    return (
        f"UPDATE health_machinehealth SET reachability = CASE reachability {cases} END "
        f"WHERE reachability IN ({', '.join(map(repr, words))}); SET CONSTRAINTS ALL IMMEDIATE"
    )


class Migration(migrations.Migration):
    dependencies: ClassVar = [("health", "0001_initial")]

    operations: ClassVar = [
        AtOnce(
            [
                migrations.RemoveConstraint("machinehealth", name="machine_heard_is_known"),
                migrations.RenameField("machinehealth", old_name="heard", new_name="reachability"),
                migrations.RenameField("machinehealth", old_name="heard_at", new_name="last_seen_at"),
                migrations.RenameField("sweep", old_name="heard", new_name="reachable"),
                migrations.RenameField("sweepshard", old_name="heard", new_name="reachable"),
            ]
        ),
        AtOnce(
            [
                migrations.AlterField(
                    "machinehealth",
                    "reachability",
                    models.CharField(
                        choices=[
                            ("never", "Never"),
                            ("reachable", "Reachable"),
                            ("late", "Late"),
                            ("unreachable", "Unreachable"),
                        ],
                        default="never",
                        max_length=12,
                    ),
                )
            ]
        ),
        migrations.RunSQL(say(WORDS), say({new: old for old, new in WORDS.items()})),
        AtOnce(
            [
                migrations.AddConstraint(
                    "machinehealth",
                    models.CheckConstraint(
                        condition=models.Q(("reachability__in", ["never", "reachable", "late", "unreachable"])),
                        name="machine_reachability_is_known",
                    ),
                )
            ]
        ),
    ]
