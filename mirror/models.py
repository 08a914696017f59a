"""The mirror: one row per factory day, and one row about the factory's line."""

from __future__ import annotations

from datetime import date, datetime

from django.db import models
from django.utils.translation import gettext_lazy as _

from mirror.fields import MediumTextField


class DaySnapshotQuerySet(models.QuerySet["DaySnapshot"]):
    def newest(self) -> DaySnapshot | None:
        """Return the newest day without its payload, or None before the first ingest."""
        return self.defer("payload").order_by("-day").first()

    def for_month(self, month: date) -> DaySnapshotQuerySet:
        """The days of the month that ``month`` lies in, oldest first, without payloads: counts are columns."""
        after = date(month.year + month.month // 12, month.month % 12 + 1, 1)
        return self.defer("payload").filter(day__gte=month.replace(day=1), day__lt=after).order_by("day")


class DaySnapshot(models.Model):
    """What the factory last said about one day. Only `mirror.services` writes it; nobody edits it."""

    day = models.DateField(_("day"), primary_key=True, db_column="d")
    active_total = models.IntegerField(_("workers counted"), default=0)
    full = models.IntegerField(_("full"), default=0, db_column="cnt_full")
    partial = models.IntegerField(_("partial"), default=0, db_column="cnt_partial")
    absent = models.IntegerField(_("absent"), default=0, db_column="cnt_absent")
    gen = models.BigIntegerField(_("generation"), default=0, db_column="gen_ts")
    payload = MediumTextField(_("payload"))
    stored_at = models.DateTimeField(_("stored at"), db_column="updated_at")

    waiting = models.IntegerField(_("no result yet"), default=0, db_column="cnt_wait")
    late = models.IntegerField(_("late"), default=0, db_column="cnt_late")
    off = models.IntegerField(_("day off"), default=0, db_column="cnt_off")
    worker_count = models.IntegerField(_("people on the roster"), default=0)
    rules = models.SmallIntegerField(_("counting rules"), default=0, help_text=_("0: sent by an old agent"))
    is_open = models.BooleanField(_("day not over"), default=False)
    captured_at = models.DateTimeField(_("data time"), null=True, help_text=_("by the cloud's clock"))
    scans_through = models.DateTimeField(_("terminals pulled through"), null=True)
    day_starts = models.CharField(_("day starts"), max_length=5, default="04:00")
    holiday = models.CharField(_("holiday"), max_length=120, default="", blank=True)
    claimed = models.CharField(_("sender's own counts, where they differ"), max_length=200, default="", blank=True)
    flag = models.CharField(_("oddity"), max_length=40, default="", blank=True)

    objects = DaySnapshotQuerySet.as_manager()

    class Meta:
        db_table = "att_day"
        ordering = ["-day"]
        verbose_name = _("day")
        verbose_name_plural = _("days")

    def __str__(self) -> str:
        return self.day.isoformat()

    @property
    def counts_disagree(self) -> bool:
        """The sender counted something else than we did: the two sides follow different rules."""
        return bool(self.claimed)

    @property
    def data_time(self) -> datetime:
        """When the factory read this, by the cloud's clock; old agents do not say, so when it was stored."""
        return self.captured_at or self.stored_at


class FactoryLink(models.Model):
    """What the cloud knows about the line to the factory: a single row, also the lock that orders ingests."""

    ONLY = 1

    id = models.SmallIntegerField(primary_key=True, default=ONLY)
    gen = models.BigIntegerField(_("highest generation"), default=0)
    last_seen = models.DateTimeField(_("agent last heard"), null=True)
    refused_at = models.DateTimeField(_("last call with a wrong key"), null=True)
    agent_version = models.CharField(_("agent version"), max_length=40, default="", blank=True)
    runs = models.JSONField(_("last runs and their clocks"), default=list, blank=True)
    second_agent_at = models.DateTimeField(_("two agents at once, last"), null=True)
    clock_ahead_s = models.IntegerField(_("factory clock ahead, seconds"), null=True)
    error = models.CharField(_("agent's own trouble"), max_length=64, default="", blank=True)
    jobs = models.CharField(_("catch-up: exhausted, expired, last pass"), max_length=64, default="", blank=True)

    class Meta:
        db_table = "att_link"
        verbose_name = _("factory line")
        verbose_name_plural = _("factory line")

    def __str__(self) -> str:
        return str(_("factory line"))
