from django.apps import AppConfig


class ProvisioningConfig(AppConfig):
    name = "provisioning"

    def ready(self) -> None:
        from core.openapi.references import named_at_sites, words
        from core.services import OTHER_SECRETS
        from core.work.kinds import kinds
        from health.monitoring import hooks as monitoring_hooks
        from health.remediation.executors import register
        from provisioning import handlers  # noqa: F401  (registers event handlers)
        from provisioning.bmc import readings, rotation
        from provisioning.bmc import services as bmc
        from provisioning.discovery import work
        from provisioning.discovery.models import LeaseSource
        from provisioning.images import services as images
        from provisioning.ironic import writes as ironic_writes
        from provisioning.maas import writes as maas_writes
        from provisioning.mirrors import watch
        from provisioning.remedies import Reimage
        from provisioning.services import leases, media
        from provisioning.software import services as software

        words["lease_source"] = named_at_sites(LeaseSource.objects.all(), "lease source")
        durable = (leases, maas_writes, ironic_writes, work, software, images, watch, bmc, rotation, readings, media)
        kinds.register(*(each.WORK for each in durable))
        monitoring_hooks.bmc_profiles.register(readings.beside_profiles)
        OTHER_SECRETS.append(rotation.re_encrypt)
        register("reimage", Reimage())
