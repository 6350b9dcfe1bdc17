import core.audit.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('core', '0001_initial'),
        ('health', '0004_public_names'),
        ('inventory', '0001_initial'),
    ]

    operations = [
        AtOnce(
            [
        migrations.CreateModel(
            name='TrainingRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=120)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('name', models.CharField(blank=True, max_length=120)),
                ('user', models.CharField(blank=True, max_length=64)),
                ('job', models.CharField(blank=True, help_text="The scheduler's id, such as 88213 or 88213_4.", max_length=64)),
                ('launcher', models.CharField(blank=True, max_length=32)),
                ('world_size', models.PositiveIntegerField(default=0)),
                ('state', models.CharField(choices=[('starting', 'Starting'), ('running', 'Running'), ('slow', 'Slow'), ('hung', 'Hung'), ('unknown', 'unknown: no report'), ('failed', 'Failed'), ('ended', 'ended from outside'), ('completed', 'Completed')], default='starting', max_length=10)),
                ('since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), help_text='When it came into this state.')),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('last_report_at', models.DateTimeField()),
                ('lead_rank', models.PositiveIntegerField(blank=True, help_text='Whose steps make the curve.', null=True)),
                ('steps', models.PositiveBigIntegerField(default=0)),
                ('last_step', models.BigIntegerField(blank=True, null=True)),
                ('last_step_at', models.DateTimeField(blank=True, null=True)),
                ('baseline_s', models.FloatField(blank=True, help_text="A step at the run's own best pace.", null=True)),
                ('recent_s', models.FloatField(blank=True, help_text='The median of its last steps.', null=True)),
                ('verdict', core.audit.fields.JsonText(blank=True, null=True)),
                ('evaluated_at', models.DateTimeField(blank=True, null=True)),
                ('site', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='training_runs', to='core.site')),
                ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='health.reportsource')),
            ],
            options={
                'ordering': ['-started_at', '-id'],
                'indexes': [
                    models.Index(fields=['site', '-started_at'], name='training_run_by_time'),
                    models.Index(condition=models.Q(('ended_at__isnull', True)), fields=['last_report_at'], name='training_run_live'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('site', 'key', 'attempt'), name='training_run_key'),
                    models.CheckConstraint(condition=models.Q(('ended_at__isnull', True), ('ended_at__gte', models.F('started_at')), _connector='OR'), name='training_run_ends_later'),
                    models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', False), ('state__in', ['failed', 'ended', 'completed'])), models.Q(('ended_at__isnull', True), ('state__in', ['starting', 'running', 'slow', 'hung', 'unknown'])), _connector='OR'), name='training_run_live_or_ended'),
                ],
            },
        ),
        migrations.CreateModel(
            name='StepPiece',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('count', models.PositiveIntegerField()),
                ('first_step', models.BigIntegerField()),
                ('last_step', models.BigIntegerField()),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField()),
                ('median_s', models.FloatField()),
                ('least_s', models.FloatField()),
                ('most_s', models.FloatField()),
                ('loss', models.FloatField(blank=True, null=True)),
                ('tokens', models.BigIntegerField(default=0)),
                ('packed', models.BinaryField()),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pieces', to='runs.trainingrun')),
            ],
            options={
                'ordering': ['run', 'number'],
                'indexes': [
                    models.Index(fields=['run', 'ended_at'], name='step_piece_by_time'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'number'), name='step_piece_key'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RunRank',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.PositiveIntegerField()),
                ('machine_name', models.CharField(help_text='As the reporter calls it.', max_length=64)),
                ('local_rank', models.PositiveIntegerField(default=0)),
                ('slot', models.CharField(blank=True, help_text='The slot of its GPU; empty: not known.', max_length=60)),
                ('step', models.BigIntegerField(blank=True, null=True)),
                ('step_at', models.DateTimeField(blank=True, null=True)),
                ('step_s', models.FloatField(blank=True, null=True)),
                ('compute_s', models.FloatField(blank=True, help_text='Of a step, without waiting for others.', null=True)),
                ('wait_s', models.FloatField(blank=True, help_text='Of a step, waiting in collectives.', null=True)),
                ('error', models.TextField(blank=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('machine', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='inventory.machine')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ranks', to='runs.trainingrun')),
            ],
            options={
                'ordering': ['run', 'rank'],
                'indexes': [
                    models.Index(fields=['machine', 'run'], name='run_rank_machine'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'rank'), name='run_rank_key'),
                ],
            },
        ),
            ]
        ),
    ]
