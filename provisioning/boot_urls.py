"""Paths of booting machines, under the root of the site and without a login."""

from __future__ import annotations

from django.urls import URLPattern, re_path

from provisioning import boot_views

TOKEN = r"(?P<token>[A-Za-z0-9_\-]{20,100})"

urlpatterns: list[URLPattern] = [
    re_path(r"^boot/(?P<mac>[0-9A-Fa-f:.\-]{12,17})$", boot_views.boot_script),
    re_path(rf"^boot/{TOKEN}/meta-data$", boot_views.meta_data),
    re_path(rf"^boot/{TOKEN}/user-data$", boot_views.user_data),
    re_path(rf"^boot/{TOKEN}/vendor-data$", boot_views.vendor_data),
    re_path(rf"^boot/{TOKEN}/phone-home$", boot_views.phone_home),
    re_path(r"^boot/.*$", boot_views.unknown),
]
