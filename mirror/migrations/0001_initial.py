"""Exactly the table of the PHP deployment, so that ``migrate --fake-initial`` takes an existing one over."""

from django.db import migrations, models

import mirror.fields


class Migration(migrations.Migration):
    initial = True
    dependencies = []

    operations = [
        migrations.CreateModel(
            name="DaySnapshot",
            fields=[
                ("day", models.DateField(db_column="d", primary_key=True, serialize=False, verbose_name="day")),
                ("active_total", models.IntegerField(default=0, verbose_name="workers counted")),
                ("full", models.IntegerField(db_column="cnt_full", default=0, verbose_name="full")),
                ("partial", models.IntegerField(db_column="cnt_partial", default=0, verbose_name="partial")),
                ("absent", models.IntegerField(db_column="cnt_absent", default=0, verbose_name="absent")),
                ("gen", models.IntegerField(db_column="gen_ts", default=0, verbose_name="generation")),
                ("payload", mirror.fields.MediumTextField(verbose_name="payload")),
                ("stored_at", models.DateTimeField(db_column="updated_at", verbose_name="stored at")),
            ],
            options={
                "db_table": "att_day",
                "ordering": ["-day"],
                "verbose_name": "day",
                "verbose_name_plural": "days",
            },
        ),
    ]
