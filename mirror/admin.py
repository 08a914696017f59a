"""The mirror in the admin: to be read, never written."""

from __future__ import annotations

from datetime import datetime

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from mirror import counting, reading
from mirror.models import DaySnapshot, FactoryLink
from mirror.wire import BadPayload, Snapshot


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not subscriptable at run time
    """Everything can be looked at, nothing can be added, changed or deleted by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(DaySnapshot)
class DaySnapshotAdmin(ReadOnlyAdmin):
    list_display = [
        "day",
        "active_total",
        "full",
        "partial",
        "absent",
        "waiting",
        "late",
        "size",
        "data_time",
        "counts_agree",
        "flag",
    ]
    list_filter = ["flag", "is_open"]
    date_hierarchy = None
    search_fields = ["day"]
    show_full_result_count = False
    exclude = ["payload"]
    readonly_fields = ["data_time", "readable"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[DaySnapshot]:
        rows: QuerySet[DaySnapshot] = super().get_queryset(request)
        return rows.defer("payload").annotate(bytes=Length("payload"))

    @admin.display(description=_("size"), ordering="bytes")
    def size(self, row: DaySnapshot) -> str:
        return f"{row.bytes / 1024:.0f} KiB"  # type: ignore[attr-defined]

    @admin.display(description=_("data time"))
    def data_time(self, row: DaySnapshot) -> datetime:
        return row.data_time

    @admin.display(description=_("counts agree"), boolean=True)
    def counts_agree(self, row: DaySnapshot) -> bool:
        return not row.counts_disagree

    @admin.display(description=_("what the factory sent"))
    def readable(self, row: DaySnapshot) -> SafeString:
        try:
            return _table(reading.snapshot_of(row, timezone.now()))
        except BadPayload as exc:
            return format_html("<pre>{}\n{}</pre>", exc, row.payload[:5000])


@admin.register(FactoryLink)
class FactoryLinkAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "last_seen", "agent_version", "clock_ahead_s", "error", "second_agent_at", "jobs"]


def _table(snapshot: Snapshot) -> SafeString:
    """The day as a table: people down, periods across, notices above."""
    codes = [period.code for period in snapshot.periods]
    verdicts = counting.verdicts(counting.rules_of(snapshot), snapshot.workers)
    notices = format_html_join(
        "", "<li>{} × {}: {}</li>", ((n.kind, n.n, ", ".join(n.sample)) for n in snapshot.notices)
    )
    head = format_html_join("", "<th>{} {} {}</th>", ((p.code, p.name or "", p.state) for p in snapshot.periods))
    rows = format_html_join(
        "",
        "<tr><td>{}</td><td>{}</td>{}<td>{}</td></tr>",
        (
            (
                worker.no,
                worker.name or "",
                format_html_join("", "<td>{}</td>", ((worker.p.get(code) or "–",) for code in codes)),
                verdict.status,
            )
            for worker, verdict in zip(snapshot.workers, verdicts, strict=True)
        ),
    )
    return format_html(
        "<ul>{}</ul><table><thead><tr><th></th><th></th>{}<th></th></tr></thead><tbody>{}</tbody></table>",
        notices,
        head,
        rows,
    )
