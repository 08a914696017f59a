from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "attsync_site"

    def ready(self) -> None:
        from attsync_site import checks  # noqa: F401, PLC0415 - registers itself, and needs the settings
