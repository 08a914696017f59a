from django.apps import AppConfig


class EditqueueConfig(AppConfig):
    name = "editqueue"
