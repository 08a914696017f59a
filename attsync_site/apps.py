from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "attsync_site"
