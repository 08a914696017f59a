"""Stuck rows and why, for the person who looks after the site: send again, or give up."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib import admin, messages
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from editqueue import services
from editqueue.models import Edit, EditEvent, Outcome
from mirror.admin import ReadOnlyAdmin
from mirror.models import DaySnapshot

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


def stuck_after() -> timedelta:
    return timedelta(minutes=settings.ATTSYNC_STUCK_MINUTES)


class StateFilter(admin.SimpleListFilter):
    """Open rows unless asked otherwise; the ones that need a person come first."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: object) -> list[tuple[str, _StrPromise]]:
        return [
            ("stuck", _("stuck")),
            ("waiting", _("waiting")),
            ("held", _("held")),
            ("saved", _("saved")),
            ("settled", _("settled")),
            ("superseded", _("superseded")),
            ("discarded", _("discarded")),
            ("all", _("all")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Edit]) -> QuerySet[Edit]:
        applied = Q(outcome=Outcome.APPLIED) & ~Q(applied_at=None)
        unsettled = Q(applied_gen=None) | Q(snapshot_gen=None) | Q(snapshot_gen__lt=F("applied_gen"))
        conditions = {
            "waiting": Q(applied_at=None, held_at=None),
            "held": Q(applied_at=None) & ~Q(held_at=None),
            "stuck": Q(applied_at=None) & (~Q(held_at=None) | Q(created_at__lt=timezone.now() - stuck_after())),
            "saved": applied & unsettled,
            "settled": applied & ~unsettled,
            "superseded": Q(outcome=Outcome.SUPERSEDED),
            "discarded": Q(outcome=Outcome.DISCARDED),
            "all": Q(),
        }
        return queryset.filter(conditions.get(self.value() or "", Q(applied_at=None)))


@admin.register(Edit)
class EditAdmin(ReadOnlyAdmin):
    list_display = ["day", "period", "employee_no", "full_name", "status", "state", "age", "attempts", "reason"]
    list_filter = [StateFilter]
    search_fields = ["employee_no", "full_name"]
    actions = ["requeue", "discard"]
    show_full_result_count = False
    readonly_fields = ["state", "history"]
    ordering = ["-held_at", "rev"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Edit]:
        gen = DaySnapshot.objects.filter(day=OuterRef("day")).values("gen")
        edits: QuerySet[Edit] = super().get_queryset(request)
        return edits.annotate(snapshot_gen=Subquery(gen))

    @admin.display(description=_("state"))
    def state(self, edit: Edit) -> object:
        if edit.applied_at is None:
            if edit.held_at:
                return _("held")
            return _("stuck") if edit.created_at < timezone.now() - stuck_after() else _("waiting")
        if edit.outcome != Outcome.APPLIED:
            return edit.get_outcome_display()
        gen = edit.snapshot_gen  # type: ignore[attr-defined]
        is_settled = gen is not None and edit.applied_gen is not None and gen >= edit.applied_gen
        return _("settled") if is_settled else _("saved")

    @admin.display(description=_("age"), ordering="created_at")
    def age(self, edit: Edit) -> str:
        return timesince(edit.created_at, depth=1)

    @admin.display(description=_("reason"))
    def reason(self, edit: Edit) -> str:
        return " · ".join(filter(None, (edit.error_code, edit.error)))

    @admin.display(description=_("history"))
    def history(self, edit: Edit) -> SafeString:
        cell = {"day": edit.day, "period": edit.period, "employee_no": edit.employee_no}
        lines = (
            (
                timezone.localtime(event.at).strftime("%Y-%m-%d %H:%M:%S"),
                event.get_kind_display(),
                event.get_status_display(),
                " · ".join(filter(None, (event.code, event.text, event.source))),
            )
            for event in EditEvent.objects.filter(**cell)
        )
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{} — {}: {} {}</li>", lines))

    def has_requeue_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("editqueue.change_edit")

    has_discard_permission = has_requeue_permission

    @admin.action(description=_("Send again"), permissions=["requeue"])
    def requeue(self, request: HttpRequest, rows: QuerySet[Edit]) -> None:
        now, source = timezone.now(), _source(request)
        done = [edit for edit in rows if services.requeue(edit.id, now=now, source=source)]
        self._tell(request, done, len(rows), ngettext("%d edit waits again", "%d edits wait again", len(done)))

    @admin.action(description=_("Discard"), permissions=["discard"])
    def discard(self, request: HttpRequest, rows: QuerySet[Edit]) -> HttpResponse | None:
        if "confirmed" not in request.POST:
            context = {**self.admin_site.each_context(request), "rows": rows, "title": _("Discard these edits?")}
            return TemplateResponse(request, "admin/editqueue/edit/discard.html", context)
        now, source = timezone.now(), _source(request)
        done = [edit for edit in rows if services.discard(edit.id, now=now, source=source)]
        self._tell(request, done, len(rows), ngettext("%d edit discarded", "%d edits discarded", len(done)))
        return None

    def _tell(self, request: HttpRequest, done: list[Edit], asked: int, text: str) -> None:
        for edit in done:
            self.log_change(request, edit, text % len(done))
        if done:
            self.message_user(request, text % len(done))
        if asked > len(done):
            left = asked - len(done)
            text = ngettext("%d was closed already", "%d were closed already", left) % left
            self.message_user(request, text, messages.WARNING)


@admin.register(EditEvent)
class EditEventAdmin(ReadOnlyAdmin):
    list_display = ["at", "day", "period", "employee_no", "kind", "status", "code", "text", "source"]
    list_filter = ["kind"]
    search_fields = ["employee_no"]
    show_full_result_count = False


def _source(request: HttpRequest) -> str:
    return f"admin: {request.user.get_username()}"
