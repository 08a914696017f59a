from django.apps import AppConfig


class OnpremConfig(AppConfig):
    name = "onprem"
