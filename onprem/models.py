"""The six relations of the factory, tables or views: the only thing that is known of its database.

The site's admin defines them; nothing here is ever migrated. Every column is text to us, whatever it is there:
drivers choke on the dates such columns hold, and an employee number is never a number.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models


def relation_name(name: str) -> str:
    """What `employee` and the others are called in this factory's database."""
    return f"{settings.LEGACY_PREFIX}{name}"


class Employee(models.Model):
    """One row per person. ``device_no`` is what the terminal sends, ``active`` is true in any spelling."""

    emp_no = models.CharField(primary_key=True, max_length=32)
    device_no = models.CharField(max_length=64, null=True)
    full_name = models.CharField(max_length=255, null=True)
    grp = models.CharField(max_length=255, null=True)
    active = models.CharField(max_length=32, null=True)
    hire_date = models.CharField(max_length=32, null=True)
    end_date = models.CharField(max_length=32, null=True)
    shift_code = models.CharField(max_length=64, null=True)

    class Meta:
        managed = False
        db_table = relation_name("employee")

    def __str__(self) -> str:
        return self.emp_no


class Scan(models.Model):
    """Passes only. Range-scannable by ``scanned_at``; may hold the same scan twice."""

    scan_id = models.CharField(primary_key=True, max_length=64)
    device_no = models.CharField(max_length=64, null=True)
    scanned_at = models.CharField(max_length=32)
    device = models.CharField(max_length=255, null=True)

    class Meta:
        managed = False
        db_table = relation_name("scan")

    def __str__(self) -> str:
        return self.scan_id


class Period(models.Model):
    """``grp`` is the number of its group; ``shift_code`` NULL means everyone."""

    code = models.CharField(primary_key=True, max_length=8)
    label = models.CharField(max_length=255, null=True)
    start_time = models.CharField(max_length=32)
    end_time = models.CharField(max_length=32)
    late_after = models.CharField(max_length=32, null=True)
    grp = models.CharField(max_length=32, null=True)
    shift_code = models.CharField(max_length=64, null=True)
    day_offset = models.CharField(max_length=8, null=True)

    class Meta:
        managed = False
        db_table = relation_name("period")

    def __str__(self) -> str:
        return self.code


class Override(models.Model):
    """A manual mark, and the only relation that is written. Nothing guarantees that its key is unique."""

    pk = models.CompositePrimaryKey("work_date", "period", "emp_no")
    work_date = models.CharField(max_length=10)
    period = models.CharField(max_length=8)
    emp_no = models.CharField(max_length=32)
    status = models.CharField(max_length=32)
    source = models.CharField(max_length=64, null=True)
    updated_at = models.CharField(max_length=32, null=True)

    class Meta:
        managed = False
        db_table = relation_name("override")

    def __str__(self) -> str:
        return f"{self.work_date} period {self.period} {self.emp_no}"


class Pull(models.Model):
    """Optional: how far each terminal has been pulled."""

    device = models.CharField(primary_key=True, max_length=255)
    pulled_through = models.CharField(max_length=32, null=True)

    class Meta:
        managed = False
        db_table = relation_name("pull")

    def __str__(self) -> str:
        return self.device


class DayOff(models.Model):
    """Optional: holidays (``emp_no`` NULL) and leave. It has no key; the one named here is only for Django."""

    date_from = models.CharField(primary_key=True, max_length=32)
    date_to = models.CharField(max_length=32, null=True)
    emp_no = models.CharField(max_length=32, null=True)
    part = models.CharField(max_length=8, null=True)
    label = models.CharField(max_length=255, null=True)

    class Meta:
        managed = False
        db_table = relation_name("dayoff")

    def __str__(self) -> str:
        return self.date_from
