"""What a WSGI server runs: ``attsync_site.wsgi:application``."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "attsync_site.settings")
application = get_wsgi_application()

from attsync_site import checks  # noqa: E402 - needs the application made above

checks.refuse_wrong_combinations()
