from __future__ import annotations

from django.urls import path, register_converter
from django.urls.converters import StringConverter
from django.views.i18n import set_language

from dashboard.views import day, everyone, legend, mark, month, office, queue, script, signin, worker


class Number(StringConverter):
    """An employee number as somebody's software wrote it, slashes and line breaks included."""

    regex = r"[\s\S]+"


register_converter(Number, "number")

urlpatterns = [
    path("", day.day, name="day"),
    path("login", signin.login, name="login"),
    path("logout", signin.logout, name="logout"),
    path("api", day.api, name="api"),
    path("mark", mark.mark, name="mark"),
    path("month", month.month, name="month"),
    path("worker/<number:no>", worker.worker, name="worker"),
    path("queue", queue.queue, name="queue"),
    path("everyone", everyone.everyone, name="everyone"),
    path("export", office.export, name="export"),
    path("print", office.print_list, name="print"),
    path("help", legend.help_page, name="help"),
    path("language", set_language, name="language"),
    path("script.js", script.script, name="script"),
]
