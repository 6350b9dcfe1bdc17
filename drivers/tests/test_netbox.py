"""The client of NetBox against a server that answers, and fails, as NetBox does."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers.netbox import (
    NetBoxAuthError,
    NetBoxClient,
    NetBoxError,
    NetBoxStatus,
    NetBoxUnreachable,
    NotNetBox,
)
from drivers.tests.certificates import self_signed
from inventory.netbox.tests.fake_netbox import NEW_TOKEN, OLD_TOKEN, FakeNetBox


@pytest.fixture
def netbox() -> Iterator[FakeNetBox]:
    with FakeNetBox() as server:
        for number in range(7):
            server.add("dcim/cables", label=f"C{number}", a_terminations=[], b_terminations=[])
        yield server


def client(netbox: FakeNetBox, token: str = OLD_TOKEN, **options: Any) -> NetBoxClient:
    return NetBoxClient(netbox.url, token, **{"backoff_s": 0.01, "timeout_s": 2, "retries": 3, **options})


def ids(netbox: FakeNetBox, **options: Any) -> list[int]:
    with client(netbox, **options) as one:
        return [row["id"] for page in one.pages("dcim/cables") for row in page.rows]


@pytest.mark.parametrize("token", [OLD_TOKEN, NEW_TOKEN, f"  {OLD_TOKEN}\n"])
def test_both_forms_of_token_are_sent_as_netbox_wants_them(netbox: FakeNetBox, token: str) -> None:
    assert client(netbox, token).status().version == "4.6.8"
    assert ids(netbox, token=token) == [1, 2, 3, 4, 5, 6, 7]


def test_a_wrong_token_is_told_as_such(netbox: FakeNetBox) -> None:
    with pytest.raises(NetBoxAuthError, match=r"dcim/cables .* refused the token \(403\): Invalid token"):
        client(netbox, "wrong").page("dcim/cables")


@pytest.mark.parametrize("token", ["", "   ", "töken", "a\nb"])
def test_what_can_be_no_token_is_not_sent(netbox: FakeNetBox, token: str) -> None:
    with pytest.raises(NetBoxAuthError):
        client(netbox, token)
    assert netbox.requests == []


def test_what_the_token_may_not_read_is_told_with_its_endpoint(netbox: FakeNetBox) -> None:
    netbox.forbidden.add("dcim/cables")
    with pytest.raises(NetBoxAuthError, match=r"dcim/cables .* may not read this") as caught:
        client(netbox).page("dcim/cables")
    assert caught.value.about_rights


def test_rows_are_counted_without_reading_them(netbox: FakeNetBox) -> None:
    assert client(netbox).count("dcim/cables") == 7
    assert netbox.requests == [("dcim/cables", {"limit": ["1"], "brief": ["1"]})]


@pytest.mark.parametrize("url", ["netbox.example.org", "ftp://example.org", "https://", "https://x.org/?a=1"])
def test_a_wrong_address_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(NetBoxError, match="is not an address"):
        NetBoxClient(url, OLD_TOKEN)


def test_pages_go_by_id_so_a_row_deleted_meanwhile_hides_no_other(netbox: FakeNetBox) -> None:
    seen = []
    with client(netbox, page_size=3) as one:
        for page in one.pages("dcim/cables"):
            seen += [row["id"] for row in page.rows]
            netbox.tables["dcim/cables"].pop(1, None)
    assert seen == [1, 2, 3, 4, 5, 6, 7]


def test_a_read_continues_after_the_last_id_seen(netbox: FakeNetBox) -> None:
    page = client(netbox, page_size=2).page("dcim/cables", after_id=3)
    assert [row["id"] for row in page.rows] == [4, 5]
    assert (page.remaining, page.last_id) == (2, 5)


def test_a_netbox_that_allows_smaller_pages_is_read_whole(netbox: FakeNetBox) -> None:
    netbox.max_page_size = 2
    assert ids(netbox, page_size=1000) == [1, 2, 3, 4, 5, 6, 7]


def test_an_empty_list_is_one_empty_page(netbox: FakeNetBox) -> None:
    (page,) = client(netbox).pages("dcim/racks")
    assert (page.rows, page.remaining, page.last_id) == ([], 0, 0)


def test_rows_that_do_not_continue_are_an_error_not_an_endless_read(
    netbox: FakeNetBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = FakeNetBox.answer
    monkeypatch.setattr(FakeNetBox, "answer", lambda self, endpoint, query: plain(self, endpoint, {"limit": ["3"]}))
    with pytest.raises(NetBoxError, match="do not continue 3"):
        ids(netbox, page_size=3)


@pytest.mark.parametrize("fault", ["429", "502", "503", "drop"])
def test_what_passes_is_tried_again(netbox: FakeNetBox, fault: str) -> None:
    netbox.fault("dcim/cables", fault, times=2)
    assert ids(netbox) == [1, 2, 3, 4, 5, 6, 7]
    assert len(netbox.requests) == 3


def test_retry_after_is_kept_to(netbox: FakeNetBox) -> None:
    netbox.fault("dcim/cables", "429", Retry_After="1")
    started = time.monotonic()
    assert ids(netbox) == [1, 2, 3, 4, 5, 6, 7]
    assert time.monotonic() - started >= 1


def test_what_does_not_pass_is_an_error_with_netboxs_words(netbox: FakeNetBox) -> None:
    netbox.fault("dcim/cables", "503", times=99)
    with pytest.raises(NetBoxStatus, match=r"dcim/cables .* answered 503: made to answer 503") as caught:
        client(netbox).page("dcim/cables")
    assert caught.value.status == 503
    assert len(netbox.requests) == 4


def test_a_request_that_is_wrong_is_not_tried_again(netbox: FakeNetBox) -> None:
    netbox.fault("dcim/cables", "400", times=99)
    with pytest.raises(NetBoxStatus, match="answered 400"):
        client(netbox).page("dcim/cables")
    assert len(netbox.requests) == 1


def test_no_answer_in_time_is_told_as_such(netbox: FakeNetBox) -> None:
    netbox.fault("dcim/cables", "hang", times=99)
    with pytest.raises(NetBoxUnreachable, match="no answer in time"):
        client(netbox, timeout_s=0.1, retries=1).page("dcim/cables")


def test_nobody_there_is_told_as_such() -> None:
    with FakeNetBox() as gone:
        url = gone.url
    with pytest.raises(NetBoxUnreachable, match=r"status of http://127\.0\.0\.1:\d+: .*refused"):
        NetBoxClient(url, OLD_TOKEN, retries=0).status()


def test_a_web_page_is_no_netbox(netbox: FakeNetBox) -> None:
    netbox.fault("status", "garbage")
    with pytest.raises(NotNetBox, match="not JSON; is this a NetBox"):
        client(netbox).status()


@pytest.mark.parametrize("version", ["3.7.8", "v2.11", "nightly"])
def test_an_older_netbox_is_refused_with_its_version(netbox: FakeNetBox, version: str) -> None:
    netbox.version = version
    with pytest.raises(NotNetBox, match=f"is NetBox {version}; 4.0 or newer"):
        client(netbox).status()


def test_an_endpoint_that_is_not_there_is_told(netbox: FakeNetBox) -> None:
    with pytest.raises(NetBoxStatus, match="has no dcim/nothing/at/all"):
        client(netbox).page("dcim/nothing/at/all")


def test_a_redirect_is_not_followed_with_the_token(netbox: FakeNetBox) -> None:
    netbox.fault("status", "301", Location="https://elsewhere.example.org/api/status/")
    with pytest.raises(NetBoxError, match=r"redirects to https://elsewhere.example.org/api/status/; give that"):
        client(netbox).status()
    assert len(netbox.requests) == 1


def test_passwords_of_the_environment_do_not_replace_the_token(
    netbox: FakeNetBox, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password else\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert ids(netbox) == [1, 2, 3, 4, 5, 6, 7]


def test_a_certificate_of_an_authority_nobody_named_is_refused_before_the_token_is_sent(tmp_path: Path) -> None:
    pem = self_signed(tmp_path / "netbox.pem")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(pem)
    with FakeNetBox(tls=tls) as netbox:
        with pytest.raises(NetBoxUnreachable, match="certificate was not accepted"):
            client(netbox, retries=0).status()
        assert netbox.requests == []
        assert client(netbox, ca_file=str(pem)).status().version == "4.6.8"
        assert client(netbox, verify=False).status().version == "4.6.8"


def test_an_authority_that_is_no_file_is_told(netbox: FakeNetBox, tmp_path: Path) -> None:
    with pytest.raises(NetBoxError, match=r"none\.pem"):
        client(netbox, ca_file=str(tmp_path / "none.pem"))
