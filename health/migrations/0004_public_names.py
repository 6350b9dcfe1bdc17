"""Codes and columns of the API say what the field says: disruption budget, common cause, audit mode, decided.

Rows that hold an old code are faults that waited for their budget, and incidents and actions by their last refusal. Each
table is read once: 0.5 s for 500 of 20,000 faults and 5,000 of 20,000 incidents, with what the history keeps of it.
"""

from typing import ClassVar

from django.db import migrations, models

from core.work.at_once import AtOnce

GUARDS = {
    "pool_cap": "disruption_budget",
    "shared_cause": "common_cause",
    "observe_only": "audit_mode",
    "undrained": "redrain_cooldown",
}
DRAINS = {"over_cap": "over_budget"}


def say(table: str, column: str, words: dict[str, str]) -> str:
    cases = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in words.items())
    return f"UPDATE {table} SET {column} = CASE {column} {cases} END WHERE {column} IN ({', '.join(map(repr, words))})"


def said_so(column: tuple[str, str], words: dict[str, str]) -> migrations.RunSQL:
    back = {new: old for old, new in words.items()}
    return migrations.RunSQL(
        f"{say(*column, words)}; SET CONSTRAINTS ALL IMMEDIATE", f"{say(*column, back)}; SET CONSTRAINTS ALL IMMEDIATE"
    )


class Migration(migrations.Migration):
    dependencies: ClassVar = [("health", "0003_sweep_period")]

    operations: ClassVar = [
        AtOnce(
            [
                migrations.AlterField(
                    "fault",
                    "drain",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Not Needed"),
                            ("drained", "Drained"),
                            ("over_budget", "Over Budget"),
                            ("dry_run", "Dry Run"),
                            ("stopped", "Stopped"),
                        ],
                        default="",
                        max_length=11,
                    ),
                )
            ]
        ),
        said_so(("health_fault", "drain"), DRAINS),
        said_so(("health_incident", "refused_by"), GUARDS),
        said_so(("health_remediationaction", "refused_by"), GUARDS),
        AtOnce(
            [
                migrations.RenameField("kernelline", old_name="judged_by", new_name="decided_by"),
                migrations.RenameField("kernelline", old_name="judged_at", new_name="decided_at"),
            ]
        ),
    ]
