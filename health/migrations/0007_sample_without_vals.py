"""The column `vals` of samples goes: values stand in `verdicts`, nothing has read or written it since.

An empty column that can be empty costs each row eight bytes. Partitions made after this have it no longer; of the older
ones PostgreSQL forgets it without reading them.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("health", "0006_past_jobs")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE health_sample DROP COLUMN vals",
            "ALTER TABLE health_sample ADD COLUMN vals real[]",
            [migrations.RemoveField("sample", "vals")],
        )
    ]
