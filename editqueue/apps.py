from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class EditqueueConfig(AppConfig):
    name = "editqueue"
    verbose_name = _("Corrections")
