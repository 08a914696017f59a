from __future__ import annotations

import gc

from django.apps import AppConfig


class OnpremConfig(AppConfig):
    name = "onprem"

    def ready(self) -> None:
        from onprem import checks  # noqa: F401, PLC0415 - registers itself

        # What is loaded by now stays to the end. Otherwise every collection in the short life of a command that
        # starts each minute walks through all of Django again, a twentieth of its time.
        gc.freeze()
