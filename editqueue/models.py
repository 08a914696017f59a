"""The queue of wishes: one row per day, period and employee, and the history of everything that happened to it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from mirror.fields import ExactCharField


class Status(models.TextChoices):
    PRESENT = "present", _("present")
    LATE = "late", _("late")
    ABSENT = "absent", _("cancel")


class Outcome(models.TextChoices):
    """How an edit was closed; empty while it is open."""

    APPLIED = "applied", _("set at the factory")
    SUPERSEDED = "superseded", _("the factory knew better")
    DISCARDED = "discarded", _("discarded by a person")


class EditQuerySet(models.QuerySet["Edit"]):
    def open(self) -> EditQuerySet:
        """Not closed: waiting or held."""
        return self.filter(applied_at=None)

    def waiting(self) -> EditQuerySet:
        """What the agent is offered."""
        return self.filter(applied_at=None, held_at=None)

    def held(self) -> EditQuerySet:
        """Refused by the factory: a person must decide."""
        return self.filter(applied_at=None).exclude(held_at=None)

    def stuck(self, now: datetime, *, after: timedelta) -> EditQuerySet:
        """Held, or waiting for longer than ``after`` (only telling while the factory is being heard)."""
        return self.open().filter(~Q(held_at=None) | Q(created_at__lt=now - after))

    def in_offering_order(self) -> EditQuerySet:
        """Rows that failed before come after rows that never did; oldest intention first."""
        return self.order_by("attempts", "rev", "id")


class Edit(models.Model):
    """The newest wish for one cell. Only `editqueue.services` writes it."""

    MAX_ATTEMPTS = 6

    id = models.BigAutoField(primary_key=True)
    day = models.DateField(_("day"), db_column="d")
    period = models.SmallIntegerField(_("period"))
    employee_no = ExactCharField(_("employee number"), max_length=32)
    full_name = models.CharField(_("name"), max_length=120, default="", blank=True)
    status = models.CharField(_("wanted"), max_length=10, choices=Status)
    created_at = models.DateTimeField(_("asked at"))
    applied_at = models.DateTimeField(_("closed at"), null=True, blank=True)

    rev = models.BigIntegerField(_("revision"), default=0)
    outcome = models.CharField(_("outcome"), max_length=12, choices=Outcome, default="", blank=True)
    applied_gen = models.BigIntegerField(_("generation of the ack"), null=True, blank=True)
    attempts = models.SmallIntegerField(_("failed attempts"), default=0)
    held_at = models.DateTimeField(_("held since"), null=True, blank=True)
    error_code = models.CharField(_("refusal"), max_length=32, default="", blank=True)
    error = models.CharField(_("factory's words"), max_length=255, default="", blank=True)

    objects = EditQuerySet.as_manager()

    class Meta:
        db_table = "att_edit"
        verbose_name = _("edit")
        verbose_name_plural = _("edits")
        constraints = [models.UniqueConstraint(fields=["day", "period", "employee_no"], name="att_edit_one_per_cell")]
        indexes = [models.Index(fields=["applied_at", "held_at", "attempts", "rev"], name="att_edit_offering")]

    def __str__(self) -> str:
        return f"{self.day} · {self.period} · {self.employee_no} → {self.status}"


class QueueVersion(models.Model):
    """One number that grows with every change of the queue: what long polls and conditional GETs look at.

    Its row is also the lock that orders taps, acks and an operator's actions.
    """

    ONLY = 1

    id = models.SmallIntegerField(primary_key=True, default=ONLY)
    version = models.BigIntegerField(default=0)

    class Meta:
        db_table = "att_queue"

    def __str__(self) -> str:
        return str(self.version)


class EditEvent(models.Model):
    """Append-only: every intention, ack, refusal, requeue and discard."""

    class Kind(models.TextChoices):
        ASKED = "asked", _("asked")
        APPLIED = "applied", _("set at the factory")
        SUPERSEDED = "superseded", _("the factory knew better")
        FAILED = "failed", _("not yet possible")
        HELD = "held", _("refused by the factory")
        REQUEUED = "requeued", _("sent again by a person")
        REOFFERED = "reoffered", _("sent again, for something older was set over it")
        DISCARDED = "discarded", _("discarded by a person")

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(_("when"))
    day = models.DateField(_("day"), db_column="d")
    period = models.SmallIntegerField(_("period"))
    employee_no = ExactCharField(_("employee number"), max_length=32)
    kind = models.CharField(_("what"), max_length=12, choices=Kind)
    status = models.CharField(_("wanted"), max_length=10, choices=Status)
    rev = models.BigIntegerField(_("revision"))
    gen = models.BigIntegerField(_("generation"), null=True)
    code = models.CharField(_("refusal"), max_length=32, default="", blank=True)
    text = models.CharField(_("words"), max_length=255, default="", blank=True)
    source = models.CharField(_("from"), max_length=120, default="", blank=True)

    class Meta:
        db_table = "att_history"
        verbose_name = _("history entry")
        verbose_name_plural = _("history")
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["employee_no", "day"], name="att_history_person"),
            models.Index(fields=["day", "period", "employee_no"], name="att_history_cell"),
            models.Index(fields=["at"], name="att_history_at"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.kind} {self.status}"
