"""What a deployment is warned of."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import Settings

from core.services import bind_credential, set_credential
from core.system_checks import https_needs_a_trusted_proxy, passwords_have_hosts


@pytest.mark.django_db
def test_a_password_that_goes_to_any_address_is_warned_of_until_it_has_hosts() -> None:
    set_credential("bmc", kind="password", username="root", secret="secret")
    assert [(each.id, "bmc" in each.msg) for each in passwords_have_hosts(["default"])] == [("core.W002", True)]
    bind_credential("bmc", hosts=["10.2.0.0/16"])
    assert passwords_have_hosts(["default"]) == []


def test_https_without_a_trusted_proxy_is_warned_of(settings: Settings) -> None:
    settings.PUBLIC_URL, settings.TRUSTED_PROXIES = "https://rackside.example.org", []
    assert [each.id for each in https_needs_a_trusted_proxy()] == ["core.W001"]
    settings.TRUSTED_PROXIES = ["10.0.0.1"]
    assert https_needs_a_trusted_proxy() == []
