"""What our rules need beside the adopted columns."""

from typing import Any

from django.db import migrations, models

from mirror.adoption import Adopt

MARIADB = [
    # What the old table may leave empty. ``updated_at`` is named so that a column that follows every UPDATE stays.
    """
    UPDATE att_day SET active_total = COALESCE(active_total, 0), cnt_full = COALESCE(cnt_full, 0),
      cnt_partial = COALESCE(cnt_partial, 0), cnt_absent = COALESCE(cnt_absent, 0), gen_ts = COALESCE(gen_ts, 0),
      payload = COALESCE(payload, ''), updated_at = COALESCE(updated_at, d)
    """,
    """
    ALTER TABLE att_day
      ENGINE=InnoDB,
      MODIFY active_total int NOT NULL,
      MODIFY cnt_full int NOT NULL,
      MODIFY cnt_partial int NOT NULL,
      MODIFY cnt_absent int NOT NULL,
      MODIFY gen_ts bigint NOT NULL,
      MODIFY payload mediumtext CHARACTER SET utf8mb4 NOT NULL,
      MODIFY updated_at datetime(6) NOT NULL,
      ADD COLUMN IF NOT EXISTS cnt_wait int NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS cnt_late int NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS cnt_off int NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS worker_count int NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS rules smallint NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS is_open bool NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS captured_at datetime(6) NULL,
      ADD COLUMN IF NOT EXISTS scans_through datetime(6) NULL,
      ADD COLUMN IF NOT EXISTS day_starts varchar(5) CHARACTER SET utf8mb4 NOT NULL DEFAULT '04:00',
      ADD COLUMN IF NOT EXISTS holiday varchar(120) CHARACTER SET utf8mb4 NOT NULL DEFAULT '',
      ADD COLUMN IF NOT EXISTS claimed varchar(200) CHARACTER SET utf8mb4 NOT NULL DEFAULT '',
      ADD COLUMN IF NOT EXISTS flag varchar(40) CHARACTER SET utf8mb4 NOT NULL DEFAULT ''
    """,
]


def add(name: str, field: "models.Field[Any, Any]") -> migrations.AddField:
    return migrations.AddField("daysnapshot", name, field)


class Migration(migrations.Migration):
    dependencies = [("mirror", "0001_initial")]

    operations = [
        Adopt(
            MARIADB,
            [
                migrations.AlterField(
                    "daysnapshot",
                    "gen",
                    models.BigIntegerField(db_column="gen_ts", default=0, verbose_name="generation"),
                ),
                add("waiting", models.IntegerField(db_column="cnt_wait", default=0, verbose_name="no result yet")),
                add("late", models.IntegerField(db_column="cnt_late", default=0, verbose_name="late")),
                add("off", models.IntegerField(db_column="cnt_off", default=0, verbose_name="day off")),
                add("worker_count", models.IntegerField(default=0, verbose_name="people on the roster")),
                add(
                    "rules",
                    models.SmallIntegerField(
                        default=0, help_text="0: sent by an old agent", verbose_name="counting rules"
                    ),
                ),
                add("is_open", models.BooleanField(default=False, verbose_name="day not over")),
                add(
                    "captured_at",
                    models.DateTimeField(help_text="by the cloud's clock", null=True, verbose_name="data time"),
                ),
                add("scans_through", models.DateTimeField(null=True, verbose_name="terminals pulled through")),
                add("day_starts", models.CharField(default="04:00", max_length=5, verbose_name="day starts")),
                add("holiday", models.CharField(blank=True, default="", max_length=120, verbose_name="holiday")),
                add(
                    "claimed",
                    models.CharField(
                        blank=True,
                        default="",
                        max_length=200,
                        verbose_name="sender's own counts, where they differ",
                    ),
                ),
                add("flag", models.CharField(blank=True, default="", max_length=40, verbose_name="oddity")),
            ],
        ),
    ]
