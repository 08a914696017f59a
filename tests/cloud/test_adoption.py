"""Taking over the tables of the PHP deployment, every row intact."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import MySQLdb
import pytest

from tests.mariadb import MariaDB
from tests.sides import CLOUD

ROOT = Path(__file__).resolve().parents[2]
PAYLOAD = {
    "date": "2026-07-28",
    "active_total": 2,
    "stat": {"full": 1, "partial": 0, "absent": 1},
    "periods": [
        {"code": 1, "scan": [{"no": "0012", "name": "สมชาย", "t": "06:55"}], "miss": [{"no": "12"}], "count_scan": 1}
    ],
    "workers": [{"no": "0012", "name": "สมชาย", "p": {"1": "06:55"}}, {"no": "12", "name": "x", "p": []}],
}
PHP_DDL = """
CREATE TABLE att_day (
  d DATE NOT NULL PRIMARY KEY, active_total INT UNSIGNED NOT NULL DEFAULT 0, cnt_full INT UNSIGNED NOT NULL DEFAULT 0,
  cnt_partial INT UNSIGNED NOT NULL DEFAULT 0, cnt_absent INT UNSIGNED NOT NULL DEFAULT 0,
  gen_ts INT UNSIGNED NOT NULL DEFAULT 0, payload MEDIUMTEXT NOT NULL, updated_at DATETIME NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
CREATE TABLE att_edit (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, d DATE NOT NULL, period TINYINT UNSIGNED NOT NULL,
  employee_no VARCHAR(32) NOT NULL, full_name VARCHAR(120) NOT NULL DEFAULT '',
  status ENUM('present','late','absent') NOT NULL, created_at DATETIME NOT NULL, applied_at DATETIME NULL,
  UNIQUE KEY uq_cell (d, period, employee_no), KEY idx_pending (applied_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci;
INSERT INTO att_edit VALUES
  (7, '2026-07-28', 1, '12', 'สมหญิง', 'late', '2026-07-28 08:05:00', NULL),
  (9, '2026-07-28', 1, 'a1', '', 'present', '2026-07-28 08:06:00', '2026-07-28 08:07:00');
"""


# What other versions of the PHP site left: nothing NOT NULL, no transactions, longer names, other key names.
LOOSE_DDL = """
CREATE TABLE att_day (
  d DATE NOT NULL PRIMARY KEY, active_total INT, cnt_full INT, cnt_partial INT, cnt_absent INT, gen_ts INT UNSIGNED,
  payload MEDIUMTEXT, updated_at TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP
) ENGINE=MyISAM DEFAULT CHARSET=latin1;
CREATE TABLE att_edit (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, d DATE NOT NULL, period TINYINT UNSIGNED NOT NULL,
  employee_no VARCHAR(32) NOT NULL, full_name VARCHAR(200), status VARCHAR(10) NOT NULL, created_at DATETIME,
  applied_at DATETIME, UNIQUE KEY cell (d, period, employee_no), KEY att_edit_offering2 (applied_at)
) ENGINE=MyISAM DEFAULT CHARSET=latin1;
INSERT INTO att_day (d, updated_at) VALUES ('2026-07-27', '2026-07-27 10:00:00');
INSERT INTO att_edit (d, period, employee_no, full_name, status, applied_at)
  VALUES ('2026-07-27', 1, '12', NULL, 'late', '2026-07-27 09:00:00');
INSERT INTO att_edit (d, period, employee_no, full_name, status, created_at)
  VALUES ('2026-07-27', 1, '13', REPEAT('x', 200), 'late', '2026-07-27 09:30:00');
"""


@pytest.fixture(params=["utf8mb4", "utf8"])
def adopted(mariadb: MariaDB, request: pytest.FixtureRequest) -> str:
    """A database as the PHP version left it; its name."""
    name = f"adopted_{request.param}_{os.getpid()}"
    ddl = PHP_DDL.replace("utf8mb4", request.param)
    rows = "INSERT INTO att_day VALUES ('2026-07-28', 2, 1, 0, 1, 1785200000, %s, '2026-07-28 14:06:10');"
    connection = connect(mariadb, "")
    cursor = connection.cursor()
    cursor.execute(f"DROP DATABASE IF EXISTS {name}")
    cursor.execute(f"CREATE DATABASE {name} CHARACTER SET {request.param}")
    cursor.execute(f"USE {name}")
    for statement in filter(str.strip, ddl.split(";\n")):
        cursor.execute(statement)
    cursor.execute(rows, [json.dumps(PAYLOAD, ensure_ascii=False)])
    connection.commit()
    connection.close()
    return name


def connect(server: MariaDB, name: str) -> Any:
    return MySQLdb.connect(unix_socket=str(server.socket), user="root", db=name, charset="utf8mb4")


def manage(server: MariaDB, name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**CLOUD, "DATABASE_URL": server.url(name), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


SHOW = """
from django.utils import timezone
from datetime import date
from editqueue import reading, services
from editqueue.guards import Wish
from editqueue.models import Edit
now = timezone.now()
merged = reading.merged_day(date(2026, 7, 28), now)
print([(w.no, w.p, w.pd) for w in merged.snapshot.workers], merged.totals.full, merged.snapshot.groups)
print(list(Edit.objects.order_by("id").values_list("id", "rev", "outcome", "status", "full_name")))
print(Edit.objects.get(id=7).created_at.isoformat())
from django.conf import settings
settings.ATTSYNC_EDIT_DAYS = 0
print(services.mark(Wish(date(2026, 7, 28), 1, "12", "present"), now=now, source="x").changed)
for no in ("A1", "a1 "):
    Edit.objects.create(day=date(2026, 7, 28), period=1, employee_no=no, status="late", created_at=now)
print(Edit.objects.count())
"""


def test_an_adopted_deployment_keeps_every_row_and_works(mariadb: MariaDB, adopted: str) -> None:
    manage(mariadb, adopted, "migrate", "--fake-initial")

    shown = manage(mariadb, adopted, "shell", "--no-imports", "-c", SHOW).splitlines()

    assert shown[0] == "[('0012', {1: '06:55'}, {}), ('12', {1: 'late'}, {1: 1})] 2 [[1, 2], [3], [4]]"
    assert shown[1] == ("[(7, 1785200700000, '', 'late', 'สมหญิง'), (9, 1785200760000, 'applied', 'present', '')]")
    assert shown[2] == "2026-07-28T08:05:00+07:00"
    assert shown[3:] == ["True", "4"]


def test_an_adopted_day_tells_the_agent_its_generation(mariadb: MariaDB, adopted: str) -> None:
    manage(mariadb, adopted, "migrate", "--fake-initial")

    cursor = connect(mariadb, adopted).cursor()
    cursor.execute("SELECT gen FROM att_link")
    assert cursor.fetchall() == ((1_785_200_000,),)


def test_empty_columns_long_names_and_other_engines_are_taken_over(mariadb: MariaDB) -> None:
    name = f"loose_{os.getpid()}"
    cursor = connect(mariadb, "").cursor()
    cursor.execute(f"CREATE OR REPLACE DATABASE {name}")
    cursor.execute(f"USE {name}")
    for statement in filter(str.strip, LOOSE_DDL.split(";\n")):
        cursor.execute(statement)

    manage(mariadb, name, "migrate", "--fake-initial")

    cursor.execute("SELECT gen_ts, payload, updated_at FROM att_day")
    assert cursor.fetchall() == ((0, "", datetime(2026, 7, 27, 10)),)
    cursor.execute("SELECT length(full_name), created_at, outcome FROM att_edit ORDER BY id")
    assert cursor.fetchall() == ((0, datetime(2026, 7, 27, 9), "applied"), (120, datetime(2026, 7, 27, 9, 30), ""))
    cursor.execute(f"SELECT DISTINCT engine FROM information_schema.tables WHERE table_schema = '{name}'")
    assert cursor.fetchall() == (("InnoDB",),)


def test_adopting_twice_changes_nothing(mariadb: MariaDB, adopted: str) -> None:
    manage(mariadb, adopted, "migrate", "--fake-initial")

    assert "No migrations to apply" in manage(mariadb, adopted, "migrate", "--fake-initial")


def test_an_adopted_table_ends_like_a_fresh_one(mariadb: MariaDB, adopted: str) -> None:
    fresh = f"{adopted}_fresh"
    cursor = connect(mariadb, "").cursor()
    cursor.execute(f"CREATE OR REPLACE DATABASE {fresh} CHARACTER SET utf8mb4")

    manage(mariadb, adopted, "migrate", "--fake-initial")
    manage(mariadb, fresh, "migrate")

    assert columns(mariadb, adopted) == columns(mariadb, fresh)


def columns(server: MariaDB, name: str) -> set[tuple[Any, ...]]:
    cursor = connect(server, name).cursor()
    cursor.execute(
        "SELECT table_name, column_name, column_type, is_nullable, character_set_name FROM information_schema.columns"
        " WHERE table_schema = %s AND table_name IN ('att_day', 'att_edit')",
        [name],
    )
    return set(cursor.fetchall())
