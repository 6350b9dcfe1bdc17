"""What a deployment is warned of."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import Settings

from core.models import Credential
from core.services import bind_credential, set_credential
from core.system_checks import https_needs_a_trusted_proxy, passwords_have_hosts


@pytest.mark.django_db
def test_a_password_without_hosts_is_not_stored_and_one_of_before_is_warned_of() -> None:
    with pytest.raises(ValueError, match="where the password bmc may be sent"):
        set_credential("bmc", kind="password", username="root", secret="secret")
    set_credential("bmc", kind="password", username="root", secret="secret", hosts=["10.2.0.0/16"])
    Credential.objects.update(hosts=[])
    assert [(each.id, "bmc" in each.msg) for each in passwords_have_hosts(["default"])] == [("core.W002", True)]
    bind_credential("bmc", hosts=["10.2.0.0/16"])
    assert passwords_have_hosts(["default"]) == []


def test_https_without_a_trusted_proxy_is_warned_of(settings: Settings) -> None:
    settings.PUBLIC_URL, settings.TRUSTED_PROXIES = "https://rackside.example.org", []
    assert [each.id for each in https_needs_a_trusted_proxy()] == ["core.W001"]
    settings.TRUSTED_PROXIES = ["10.0.0.1"]
    assert https_needs_a_trusted_proxy() == []
