"""What our rules need beside the adopted columns: revisions, outcomes, refusals, exact employee numbers."""

from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import mirror.fields
from mirror.adoption import Adopt

OUTCOMES = [
    ("applied", "set at the factory"),
    ("superseded", "the factory knew better"),
    ("discarded", "discarded by a person"),
]

MARIADB = [
    # What the old table may leave empty or longer. The moments are named so that a column that follows every UPDATE
    # stays as it is.
    """
    UPDATE att_edit SET full_name = LEFT(COALESCE(full_name, ''), 120),
      created_at = COALESCE(created_at, applied_at, d), applied_at = applied_at
    """,
    """
    ALTER TABLE att_edit
      ENGINE=InnoDB,
      MODIFY id bigint NOT NULL AUTO_INCREMENT,
      MODIFY period smallint NOT NULL,
      MODIFY employee_no varchar(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
      MODIFY full_name varchar(120) CHARACTER SET utf8mb4 NOT NULL,
      MODIFY status varchar(10) CHARACTER SET utf8mb4 NOT NULL,
      MODIFY created_at datetime(6) NOT NULL,
      MODIFY applied_at datetime(6) NULL,
      ADD COLUMN IF NOT EXISTS rev bigint NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS outcome varchar(12) CHARACTER SET utf8mb4 NOT NULL DEFAULT '',
      ADD COLUMN IF NOT EXISTS applied_gen bigint NULL,
      ADD COLUMN IF NOT EXISTS attempts smallint NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS held_at datetime(6) NULL,
      ADD COLUMN IF NOT EXISTS error_code varchar(32) CHARACTER SET utf8mb4 NOT NULL DEFAULT '',
      ADD COLUMN IF NOT EXISTS error varchar(255) CHARACTER SET utf8mb4 NOT NULL DEFAULT '',
      ADD INDEX IF NOT EXISTS att_edit_offering (applied_at, held_at, attempts, rev)
    """,
]


def fill_revisions(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """An adopted wish gets the revision its tap would have got; a closed one was applied, the old queue knew no other."""
    edits = apps.get_model("editqueue", "Edit").objects
    batch = []
    for edit in edits.filter(rev=0).only("id", "created_at", "applied_at").iterator(chunk_size=1000):
        edit.rev = int(edit.created_at.timestamp() * 1000)
        edit.outcome = "applied" if edit.applied_at else ""
        batch.append(edit)
        if len(batch) == 500:
            edits.bulk_update(batch, ["rev", "outcome"])
            batch = []
    edits.bulk_update(batch, ["rev", "outcome"])


def add(name: str, field: "models.Field[Any, Any]") -> migrations.AddField:
    return migrations.AddField("edit", name, field)


class Migration(migrations.Migration):
    dependencies = [("editqueue", "0001_initial")]

    operations = [
        Adopt(
            MARIADB,
            [
                migrations.AlterField(
                    "edit",
                    "employee_no",
                    mirror.fields.ExactCharField(max_length=32, verbose_name="employee number"),
                ),
                add("rev", models.BigIntegerField(default=0, verbose_name="revision")),
                add(
                    "outcome",
                    models.CharField(blank=True, choices=OUTCOMES, default="", max_length=12, verbose_name="outcome"),
                ),
                add(
                    "applied_gen",
                    models.BigIntegerField(blank=True, null=True, verbose_name="generation of the ack"),
                ),
                add("attempts", models.SmallIntegerField(default=0, verbose_name="failed attempts")),
                add("held_at", models.DateTimeField(blank=True, null=True, verbose_name="held since")),
                add("error_code", models.CharField(blank=True, default="", max_length=32, verbose_name="refusal")),
                add("error", models.CharField(blank=True, default="", max_length=255, verbose_name="factory's words")),
                migrations.AddIndex(
                    "edit",
                    models.Index(fields=["applied_at", "held_at", "attempts", "rev"], name="att_edit_offering"),
                ),
            ],
        ),
        migrations.RunPython(fill_revisions, migrations.RunPython.noop),
    ]
