from __future__ import annotations

from django.urls import path
from django.views.i18n import set_language

from dashboard.views import day, mark, script, signin

urlpatterns = [
    path("", day.day, name="day"),
    path("login", signin.login, name="login"),
    path("logout", signin.logout, name="logout"),
    path("api", day.api, name="api"),
    path("mark", mark.mark, name="mark"),
    path("month", day.day, name="month"),
    path("worker/<path:no>", day.day, name="worker"),
    path("queue", day.day, name="queue"),
    path("everyone", day.day, name="everyone"),
    path("export", day.day, name="export"),
    path("print", day.day, name="print"),
    path("help", day.day, name="help"),
    path("language", set_language, name="language"),
    path("script.js", script.script, name="script"),
]
