"""Paths of booting machines, under the root of the site and without a login."""

from __future__ import annotations

from django.urls import URLPattern, re_path

from provisioning.boot import views
from provisioning.media import images
from provisioning.media.views import medium

TOKEN = r"(?P<token>[A-Za-z0-9_\-]{20,100})"

urlpatterns: list[URLPattern] = [
    re_path(r"^boot/(?P<mac>[0-9A-Fa-f:.\-]{12,17})$", views.boot_script),
    re_path(rf"^boot/{TOKEN}/meta-data$", views.meta_data),
    re_path(rf"^boot/{TOKEN}/user-data$", views.user_data),
    re_path(rf"^boot/{TOKEN}/(?:preseed|ks)\.cfg$", views.user_data),
    re_path(rf"^boot/{TOKEN}/vendor-data$", views.vendor_data),
    re_path(rf"^boot/{TOKEN}/phone-home$", views.phone_home),
    re_path(rf"^boot/{TOKEN}/report$", views.installer_report),
    re_path(rf"^boot/{TOKEN}/log$", views.installer_log),
    re_path(rf"^boot/media/{TOKEN}/{images.FILE}$", medium),
    re_path(r"^boot/.*$", views.unknown),
]
