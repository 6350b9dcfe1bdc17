"""Signing in by OpenID Connect, against a small provider on loopback: the account is made and sees nothing yet."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.cache import cache
from django.test import Client

from core.middleware import ContentSecurityPolicyMiddleware
from core.models import Role, Site, User
from core.services import ensure_user

pytestmark = pytest.mark.django_db
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Provider(BaseHTTPRequestHandler):
    """The four documents of a provider; whoever comes with the code "good" is Pia."""

    asked: ClassVar[list[dict[str, list[str]]]] = []
    url: ClassVar[str] = ""

    def do_GET(self) -> None:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
        self.answer(
            {
                "/.well-known/openid-configuration": {
                    "issuer": self.url,
                    "authorization_endpoint": f"{self.url}/authorize",
                    "token_endpoint": f"{self.url}/token",
                    "userinfo_endpoint": f"{self.url}/userinfo",
                    "jwks_uri": f"{self.url}/keys",
                },
                "/keys": {"keys": [{**public, "kid": "1", "alg": "RS256", "use": "sig"}]},
                "/userinfo": person(),
            }.get(self.path)
        )

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.asked.append(form)
        now = int(time.time())
        claims = {**person(), "iss": self.url, "aud": "rackside", "iat": now, "exp": now + 60}
        token = jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": "1"})
        good = form.get("code") == ["good"]
        self.answer({"access_token": "a", "token_type": "Bearer", "id_token": token} if good else None)

    def answer(self, body: Any) -> None:
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_: Any) -> None:
        return None


def person() -> dict[str, Any]:
    return {"sub": "77", "email": "pia@example.org", "email_verified": True, "preferred_username": "pia"}


@pytest.fixture
def provider(settings: Any) -> Iterator[str]:
    cache.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    Provider.url = f"http://127.0.0.1:{server.server_port}"
    Provider.asked.clear()
    app = {
        "provider_id": "sso",
        "name": "Works SSO",
        "client_id": "rackside",
        "secret": "s3cret",
        "settings": {"server_url": Provider.url},
    }
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}
    settings.SIGN_IN_ORIGINS = [Provider.url]
    yield Provider.url
    server.shutdown()
    server.server_close()


def sign_in(client: Client, code: str = "good") -> Any:
    sent = client.post("/accounts/oidc/sso/login/")
    assert sent.status_code == 302, sent.content
    query = parse_qs(urlsplit(sent["Location"]).query)
    assert sent["Location"].startswith(Provider.url) and query["code_challenge"]
    return client.get("/accounts/oidc/sso/login/callback/", {"code": code, "state": query["state"][0]})


def test_the_sign_in_page_offers_it_and_its_policy_lets_the_form_go_there(provider: str, client: Client) -> None:
    page = client.get("/accounts/login/").content.decode()
    assert "Sign in with Works SSO" in page and 'action="/accounts/oidc/sso/login/' in page
    policy = ContentSecurityPolicyMiddleware(lambda request: None).policy  # type: ignore[arg-type,return-value]
    assert policy("/accounts/login/").endswith(f"form-action 'self' {provider}")
    assert provider not in policy("/machines/7") + policy("/api/")


def test_a_new_person_has_an_account_and_sees_nothing_until_granted(provider: str, client: Client) -> None:
    site = Site.objects.create(slug="north", name="North")
    assert sign_in(client)["Location"] == "/"
    user = User.objects.get()
    assert (user.username, user.email, user.is_staff, user.is_superuser) == ("pia", "pia@example.org", False, False)
    assert not user.has_usable_password() and not user.grants.exists()
    assert client.get("/api/me/").json()["sites"] == []
    assert client.get("/api/sites/").status_code == 403
    ensure_user("pia", role=Role.VIEWER, site=site)
    assert [row["slug"] for row in client.get("/api/sites/").json()["results"]] == ["north"]


def test_coming_again_finds_the_same_account(provider: str) -> None:
    for _ in range(2):
        sign_in(Client())
    assert User.objects.count() == 1
    assert all(form["code_verifier"] for form in Provider.asked)


def test_a_code_the_provider_does_not_know_signs_nobody_in(provider: str, client: Client) -> None:
    sign_in(client, code="stolen")
    assert not User.objects.exists() and "_auth_user_id" not in client.session


def test_an_address_of_somebody_else_does_not_open_his_account(provider: str, client: Client) -> None:
    """A provider that lets people write any mail address must not hand out the administrator's account."""
    admin, _ = ensure_user("root", role=Role.ADMIN)
    User.objects.filter(pk=admin.pk).update(email="pia@example.org")
    sign_in(client)
    assert client.session.get("_auth_user_id") != str(admin.pk)
