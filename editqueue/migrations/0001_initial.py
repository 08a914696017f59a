"""Exactly the table of the PHP deployment, so that ``migrate --fake-initial`` takes an existing one over."""

from django.db import migrations, models

STATUSES = [("present", "present"), ("late", "late"), ("absent", "cancel")]


class Migration(migrations.Migration):
    initial = True
    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Edit",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("day", models.DateField(db_column="d", verbose_name="day")),
                ("period", models.SmallIntegerField(verbose_name="period")),
                ("employee_no", models.CharField(max_length=32, verbose_name="employee number")),
                ("full_name", models.CharField(blank=True, default="", max_length=120, verbose_name="name")),
                ("status", models.CharField(choices=STATUSES, max_length=10, verbose_name="wanted")),
                ("created_at", models.DateTimeField(verbose_name="asked at")),
                ("applied_at", models.DateTimeField(blank=True, null=True, verbose_name="closed at")),
            ],
            options={"db_table": "att_edit", "verbose_name": "edit", "verbose_name_plural": "edits"},
        ),
        migrations.AddConstraint(
            "edit",
            models.UniqueConstraint(fields=["day", "period", "employee_no"], name="att_edit_one_per_cell"),
        ),
    ]
