"""Every write of this room. Other rooms import from here."""

from provisioning.services.installer import keep_log as keep_installer_log
from provisioning.services.installer import report as installer_report
from provisioning.services.network_boot import BootRefused, boot_script, meta_data, phone_home, user_data
from provisioning.services.poll import look, reap
from provisioning.services.runs import (
    RunRefused,
    cancel_machine,
    cancel_run,
    create_run,
    fill,
    retry_machine,
    set_ticket,
)

__all__ = [
    "BootRefused",
    "RunRefused",
    "boot_script",
    "cancel_machine",
    "cancel_run",
    "create_run",
    "fill",
    "installer_report",
    "keep_installer_log",
    "look",
    "meta_data",
    "phone_home",
    "reap",
    "retry_machine",
    "set_ticket",
    "user_data",
]
