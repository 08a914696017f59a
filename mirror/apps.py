from django.apps import AppConfig


class MirrorConfig(AppConfig):
    name = "mirror"
