"""Django admin of access: read mostly; secrets are not shown."""

from django.contrib import admin

from access.models import Endpoint, IdentityChange, KnownHost, PinnedCertificate


@admin.register(Endpoint)
class EndpointAdmin(admin.ModelAdmin):
    list_display = ("machine", "kind", "address", "port", "credential")
    list_filter = ("kind",)
    search_fields = ("machine__device__name",)
    autocomplete_fields = ("machine",)


@admin.register(KnownHost)
class KnownHostAdmin(admin.ModelAdmin):
    list_display = ("machine", "fingerprint", "source", "recorded_at", "replaced_at")
    search_fields = ("machine__device__name", "fingerprint")
    autocomplete_fields = ("machine",)


@admin.register(PinnedCertificate)
class PinnedCertificateAdmin(admin.ModelAdmin):
    list_display = ("machine", "fingerprint", "source", "recorded_at", "replaced_at")
    search_fields = ("machine__device__name", "fingerprint")
    autocomplete_fields = ("machine",)


@admin.register(IdentityChange)
class IdentityChangeAdmin(admin.ModelAdmin):
    list_display = ("machine", "kind", "presented_fingerprint", "times_seen", "last_seen_at", "resolution")
    search_fields = ("machine__device__name", "presented_fingerprint")
    autocomplete_fields = ("machine",)
