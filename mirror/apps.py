from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MirrorConfig(AppConfig):
    name = "mirror"
    verbose_name = _("What the factory sent")
