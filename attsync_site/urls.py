from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from editqueue import views as editqueue
from mirror import views as mirror

handler400 = "attsync_site.errors.bad_request"
handler403 = "attsync_site.errors.permission_denied"
handler404 = "attsync_site.errors.page_not_found"
handler500 = "attsync_site.errors.server_error"

urlpatterns = [
    path("", RedirectView.as_view(url="/att-sync/")),
    path("att-sync", RedirectView.as_view(url="/att-sync/", query_string=True)),
    path("att-sync/ingest", mirror.ingest, name="ingest"),
    path("att-sync/pending", editqueue.pending, name="pending"),
    path("att-sync/applied", editqueue.applied, name="applied"),
    path("att-sync/health", editqueue.health, name="health"),
    path("att-sync/", include("dashboard.urls")),
    path("admin/", admin.site.urls),
]
