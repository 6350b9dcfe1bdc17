"""What a booting machine is given is valid iPXE and valid cloud-init."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured

from provisioning import conf
from provisioning.boot import files

GIVEN = files.Installed(
    hostname="gpu-017",
    username="rackside",
    authorized_key="ssh-ed25519 AAAA rackside",
    host_key_private="-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n",
    host_key_public="ssh-ed25519 BBBB gpu-017",
    seed_url="http://rackside/boot/t/",
)


def test_the_boot_script_names_kernel_initrd_and_where_the_data_is() -> None:
    text = files.boot_script(
        title="run 1, gpu-017",
        kernel_url="http://images/vmlinuz",
        initrd_url="http://images/24.04/initrd",
        arguments="ip=dhcp",
        seed_url="http://rackside/boot/token/",
    )
    assert text.startswith("#!ipxe\n") and text.endswith("boot\n")
    kernel = next(line for line in text.splitlines() if line.startswith("kernel "))
    assert kernel.split()[1:4] == ["http://images/vmlinuz", "initrd=initrd", "autoinstall"]
    assert re.search(r"ds=nocloud-net;s=(\S+)", kernel)[1] == "http://rackside/boot/token/"  # type: ignore[index]
    assert "initrd http://images/24.04/initrd" in text.splitlines()


def test_user_data_is_cloud_config_with_our_host_key_and_only_our_login() -> None:
    text = files.user_data(GIVEN, {})
    assert text.startswith("#cloud-config\n")
    install = yaml.safe_load(text)["autoinstall"]
    assert install["version"] == 1
    assert install["ssh"] == {"install-server": True, "allow-pw": False, "authorized-keys": [GIVEN.authorized_key]}
    first_boot = install["user-data"]
    assert first_boot["ssh_keys"]["ed25519_private"] == GIVEN.host_key_private
    assert first_boot["phone_home"]["url"] == "http://rackside/boot/t/phone-home"
    assert first_boot["users"][0]["ssh_authorized_keys"] == [GIVEN.authorized_key]
    assert "ed25519_private: |" in text, "the key stands as a block, as people expect it"


def test_the_installer_reports_its_steps_and_sends_its_log_beside_what_the_site_wants() -> None:
    site = {"reporting": {"own": {"type": "print"}}, "error-commands": ["beep"]}
    install = yaml.safe_load(files.user_data(GIVEN, site))["autoinstall"]
    assert install["reporting"]["rackside"] == {
        "type": "webhook", "endpoint": "http://rackside/boot/t/report", "level": "INFO"
    }  # fmt: skip
    assert install["reporting"]["own"] == {"type": "print"}
    assert install["error-commands"] == ["beep", files.send_log("http://rackside/boot/t/log")]


def test_the_sites_part_is_kept_but_cannot_replace_what_identifies_the_machine() -> None:
    site = {
        "storage": {"layout": {"name": "lvm"}},
        "ssh": {"authorized-keys": ["ssh-ed25519 EVIL"], "allow-pw": True},
        "user-data": {"ssh_keys": {"rsa_private": "x"}, "timezone": "UTC"},
    }
    install = yaml.safe_load(files.user_data(GIVEN, site))["autoinstall"]
    assert install["storage"] == {"layout": {"name": "lvm"}} and install["user-data"]["timezone"] == "UTC"
    assert install["ssh"]["authorized-keys"] == [GIVEN.authorized_key] and install["ssh"]["allow-pw"] is False
    assert set(install["user-data"]["ssh_keys"]) == {"ed25519_private", "ed25519_public"}


def test_root_logs_in_only_where_root_is_the_login() -> None:
    root = yaml.safe_load(files.user_data(replace(GIVEN, username="root"), {}))["autoinstall"]["user-data"]
    assert root["disable_root"] is False and "sudo" not in root["users"][0]


@pytest.mark.parametrize("text", ["AA-BB-CC-00-11-22", "aa:bb:cc:00:11:22", "aabbcc001122", "aabb.cc00.1122"])
def test_a_mac_is_known_in_any_usual_spelling(text: str) -> None:
    assert files.normal_mac(text) == "aa:bb:cc:00:11:22"


@pytest.mark.parametrize("text", ["", "aa-bb", "zz:bb:cc:00:11:22", "aa:bb:cc:00:11:22:33"])
def test_what_is_no_mac_is_none(text: str) -> None:
    assert files.normal_mac(text) is None


@pytest.mark.parametrize("field", ["title", "kernel_url", "initrd_url", "arguments", "seed_url"])
def test_nothing_that_is_told_becomes_a_second_line_of_a_boot_script(field: str) -> None:
    told = dict.fromkeys(("title", "kernel_url", "initrd_url", "arguments", "seed_url"), "x")
    with pytest.raises(ValueError, match="one line of a boot script"):
        files.boot_script(**told | {field: "x\nchain http://elsewhere/"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RACKSIDE_BOOT_KERNEL_URL", "http://x/k\nshell"),
        ("RACKSIDE_BOOT_INITRD_URL", "http://x/i initrd=y"),
        ("RACKSIDE_BOOT_KERNEL_ARGUMENTS", "quiet\nshell"),
    ],
)
def test_a_variable_that_would_be_more_than_one_line_is_refused_by_name(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=name):
        conf.config()
