"""The door: sign in, sign out."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from attsync_site.errors import answer, wants_json
from dashboard import device, password, signin, throttle
from dashboard.said import said
from mirror.answers import json_answer, json_error


@sensitive_post_parameters("password")
def login(request: HttpRequest) -> HttpResponse:
    """Right: 303 to where the person wanted to go; wrong: the form again, 401."""
    if request.method != "POST":
        return _post_only(request)
    fields = said(request)
    try:
        left = throttle.count_guess(request)
    except throttle.TooMany as exc:
        return _too_many(request, exc.retry_after)
    except throttle.CounterAway:
        return _nobody_counts(request)
    guess = fields.get("password")
    if not isinstance(guess, str) or not password.matches(guess):
        return _wrong(request, left)
    signin.sign_in(request)
    target = signin.safe_next(str(fields.get("next") or ""))
    response = json_answer({"ok": True}) if wants_json(request) else HttpResponseRedirect(target, status=303)
    device.remember(request, response)
    return signin.kept_nowhere(response)


def logout(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        response = json_error(405, "method_not_allowed", _("Signing out takes the button on the page."))
        response["Allow"] = "POST"
        return response
    signin.sign_out(request)
    response = json_answer({"ok": True}) if wants_json(request) else HttpResponseRedirect(reverse("day"), status=303)
    return signin.kept_nowhere(response)


def form(request: HttpRequest, *, status: int = 200, problem: str | Promise = "", target: str = "") -> HttpResponse:
    """Return the sign-in form; afterwards the person is where they wanted to be."""
    context = {"problem": problem, "next": target or request.POST.get("next") or request.GET.get("next") or ""}
    context["next"] = context["next"] or (request.get_full_path() if request.method == "GET" else "")
    return signin.kept_nowhere(render(request, "signin.html", context, status=status))


def _wrong(request: HttpRequest, left: int) -> HttpResponse:
    if password.is_set():
        text = _("Wrong password. %(n)s more tries this minute.") % {"n": left}
    else:
        text = _("No password has been set up yet, so nobody can sign in.")
    return json_error(401, "wrong_password", text) if wants_json(request) else form(request, status=401, problem=text)


def _too_many(request: HttpRequest, retry_after: int) -> HttpResponse:
    text = _("Too many tries. Please wait %(n)s seconds and try again.") % {"n": retry_after}
    response = json_error(429, "too_many", text) if wants_json(request) else form(request, status=429, problem=text)
    response["Retry-After"] = str(retry_after)
    return response


def _nobody_counts(request: HttpRequest) -> HttpResponse:
    """Without a count of the guesses nobody may guess; whoever is signed in stays so."""
    text = _("Signing in is not possible right now. Please try again in a minute.")
    json = wants_json(request)
    response = json_error(503, "unavailable", text) if json else form(request, status=503, problem=text)
    response["Retry-After"] = "60"
    return response


def _post_only(request: HttpRequest) -> HttpResponse:
    """Somebody reloads the address that a form went to."""
    if wants_json(request):
        response = answer(request, 405, "method_not_allowed", "", _("This address takes a form."))
        response["Allow"] = "POST"
        return response
    return HttpResponseRedirect(reverse("day"))
