from __future__ import annotations

from django.urls import path
from django.views.i18n import set_language

from dashboard.views import day, everyone, legend, mark, month, office, queue, script, signin, worker

urlpatterns = [
    path("", day.day, name="day"),
    path("login", signin.login, name="login"),
    path("logout", signin.logout, name="logout"),
    path("api", day.api, name="api"),
    path("mark", mark.mark, name="mark"),
    path("month", month.month, name="month"),
    path("worker/<path:no>", worker.worker, name="worker"),
    path("queue", queue.queue, name="queue"),
    path("everyone", everyone.everyone, name="everyone"),
    path("export", office.export, name="export"),
    path("print", office.print_list, name="print"),
    path("help", legend.help_page, name="help"),
    path("language", set_language, name="language"),
    path("script.js", script.script, name="script"),
]
