"""A tap: one form, from a row's button to a whole group, and the way back from each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from attsync_site.errors import answer, wants_json
from dashboard import daypage, signin, taps, throttle, toasts
from dashboard.address import device_of
from dashboard.place import Place, anchor
from dashboard.said import said
from dashboard.taps import Again, Everyone, Tap, Undo, UndoAll
from dashboard.views import day as day_view
from dashboard.views.signin import form
from editqueue import group, reading, services, undo
from editqueue.guards import Refusal, Wish
from editqueue.merge import MergedDay
from editqueue.models import Edit
from mirror.answers import json_error
from mirror.wire import encode, parse_day


@dataclass(frozen=True)
class Done:
    """What a tap changed: the day as it is now, what to call the change, and the cell it was about (if one)."""

    merged: MergedDay
    name: str
    period: int | None = None
    employee_no: str = ""

    @property
    def day(self) -> date:
        return date.fromisoformat(self.merged.snapshot.date)


def mark(request: HttpRequest) -> HttpResponse:
    """Queue what a form asks for; 303 back to the same place, or the merged day as JSON."""
    if request.method != "POST":
        return _post_only(request)
    if not signin.is_signed_in(request):
        return _signed_out(request)
    try:
        throttle.count_tap(request)
    except throttle.TooMany as exc:
        return _too_many(request, exc.retry_after)
    now = timezone.now()
    tap: Tap | None = None
    try:
        tap = taps.read(said(request))
        done = _carry_out(tap, now=now, source=device_of(request))
    except Refusal as refusal:
        return signin.kept_nowhere(_refused(request, tap, refusal, now))
    return signin.kept_nowhere(_answer(request, done, now))


def _carry_out(tap: Tap, *, now: datetime, source: str) -> Done:
    if isinstance(tap, Undo):
        edit = undo.undo(tap.edit_id, rev=tap.rev, now=now, source=source)
        return _done(_merged(edit.day, now), edit, "undone.")
    if isinstance(tap, UndoAll):
        undo.undo_all(tap.day, tap.stamp, now=now, source=source)
        return Done(_merged(tap.day, now), f"undone.{toasts.name_of_all(tap.day, now)}")
    if isinstance(tap, Again):
        return _again(tap, now=now, source=source)
    if isinstance(tap, Everyone):
        merged = group.mark_group(tap.day, tap.codes, tap.status, tap.people, now=now, source=source)
        asked_at = group.asked_at(tap.day, tap.codes, tap.people) or now
        return Done(merged, toasts.name_of_all(tap.day, asked_at), tap.codes[0])
    merged = services.mark(tap, now=now, source=source).merged
    return _done(merged, Edit.objects.get(day=tap.day, period=tap.period, employee_no=tap.employee_no))


def _again(tap: Again, *, now: datetime, source: str) -> Done:
    if not services.requeue(tap.edit_id, now=now, source=source):
        raise Refusal(409, "changed", _("This correction is settled already."))
    edit = Edit.objects.get(id=tap.edit_id)
    return _done(_merged(edit.day, now), edit)


def _merged(day: date, now: datetime) -> MergedDay:
    merged = reading.merged_day(day, now)
    if merged is None:
        raise Refusal(404, "no_day", _("The factory has not sent anything for this day yet."))
    return merged


def _done(merged: MergedDay, edit: Edit, how: str = "") -> Done:
    return Done(merged, how + toasts.name_of(edit), edit.period, edit.employee_no)


def _answer(request: HttpRequest, done: Done, now: datetime) -> HttpResponse:
    """The merged day as JSON; or the way back to where the form was, with the touched card open and a message."""
    merged = done.merged
    if wants_json(request):
        body = day_view.merged_json(encode(merged.snapshot), merged.waiting, merged.held)
        return HttpResponse(body, content_type="application/json; charset=utf-8")
    if _from_queue(request):
        return HttpResponseRedirect(f"{reverse('queue')}?{urlencode({'done': done.name})}", status=303)
    card = daypage.card_of(merged, done.period)
    place = _place(request, done.day).with_card(card) if card else _place(request, done.day)
    if request.headers.get("X-Requested-With") == "fetch":
        # The script swaps what changed; a redirect would cost it a second trip on a weak line.
        return day_view.page(request, place, now, done=done.name)
    target = anchor(card, done.employee_no) if card and done.employee_no else card
    return HttpResponseRedirect(place.url(target, done=done.name), status=303)


def _refused(request: HttpRequest, tap: Tap | None, refusal: Refusal, now: datetime) -> HttpResponse:
    """Say why in words: beside the person if the page can show it, else on top, else on a page of its own."""
    if wants_json(request):
        return json_error(refusal.status, refusal.code, str(refusal.sentence))
    day = tap.day if isinstance(tap, Wish | UndoAll | Everyone) else None
    if day is None or refusal.code == "no_day":
        return answer(request, refusal.status, refusal.code, _("That did not work"), refusal.sentence)
    place = _place(request, day)
    merged = reading.merged_day(day, now)
    card = daypage.card_of(merged, tap.period) if merged and isinstance(tap, Wish) else ""
    if isinstance(tap, Wish) and card:
        sentence = _("Not changed: %(why)s") % {"why": refusal.sentence}
        wrong = {anchor(card, tap.employee_no): sentence}
        return day_view.page(request, place.with_card(card), now, status=refusal.status, wrong=wrong)
    return day_view.page(request, place, now, status=refusal.status, problem=refusal.sentence)


def _signed_out(request: HttpRequest) -> HttpResponse:
    text = _("You have been signed out, so nothing was changed. Sign in and repeat it.")
    if wants_json(request):
        return json_error(401, "auth", text)
    day = parse_day(QueryDict(request.POST.get("place", "")).get("date", ""))
    target = reverse("queue") if _from_queue(request) else _place(request, day).url() if day else reverse("day")
    return form(request, status=401, problem=text, target=target)


def _too_many(request: HttpRequest, retry_after: int) -> HttpResponse:
    text = _("Too many taps in a minute. Wait %(n)s seconds; this one was not saved.") % {"n": retry_after}
    response = answer(request, 429, "too_many", _("A little slower, please"), text)
    response["Retry-After"] = str(retry_after)
    return response


def _place(request: HttpRequest, day: date) -> Place:
    return Place.read(QueryDict(request.POST.get("place", "")), day)


def _from_queue(request: HttpRequest) -> bool:
    return request.POST.get("place") == "queue"


def _post_only(request: HttpRequest) -> HttpResponse:
    """Somebody reloads the address that a form went to."""
    if not wants_json(request):
        return HttpResponseRedirect(reverse("day"))
    response = answer(request, 405, "method_not_allowed", "", _("This address takes a form."))
    response["Allow"] = "POST"
    return response
