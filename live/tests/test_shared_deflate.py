"""News that goes to many sockets is compressed once, and every client reads it whatever it agreed on."""

from __future__ import annotations

import pytest
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import Frame, Opcode

from live.shared_deflate import LARGEST, SharedDeflateFactory, deflated

NEWS = b'{"type":"events","events":[' + b'{"kind":"state.changed","data":{"cell":"available"}},' * 40 + b"{}]}"


def agreed(client: ClientPerMessageDeflateFactory) -> tuple:
    """The extension of the server and of a client that offered this."""
    offered = [(name, value if isinstance(value, str) else None) for name, value in client.get_request_params()]
    answer, ours = SharedDeflateFactory().process_request_params(offered, [])
    return ours, client.process_response_params(answer, [])


@pytest.mark.parametrize(
    "client",
    [
        ClientPerMessageDeflateFactory(),
        ClientPerMessageDeflateFactory(client_max_window_bits=True),
        ClientPerMessageDeflateFactory(server_max_window_bits=9),
        ClientPerMessageDeflateFactory(server_no_context_takeover=True, client_no_context_takeover=True),
    ],
)
def test_a_client_reads_frame_after_frame(client: ClientPerMessageDeflateFactory) -> None:
    ours, theirs = agreed(client)
    for number in range(5):
        text = NEWS + str(number).encode()
        sent = ours.encode(Frame(Opcode.TEXT, text))
        assert sent.rsv1 and len(sent.data) < len(text) / 10
        assert bytes(theirs.decode(sent).data) == text
        answer = theirs.encode(Frame(Opcode.TEXT, b"what the client says " * 9))
        assert bytes(ours.decode(answer).data) == b"what the client says " * 9


def test_the_same_news_is_compressed_once_for_all_sockets() -> None:
    deflated.cache_clear()
    frames = [agreed(ClientPerMessageDeflateFactory())[0].encode(Frame(Opcode.TEXT, bytes(NEWS))) for _ in range(9)]
    assert len({bytes(frame.data) for frame in frames}) == 1
    assert (deflated.cache_info().misses, deflated.cache_info().hits) == (1, 8)


def test_what_one_socket_missed_is_sent_and_not_kept() -> None:
    deflated.cache_clear()
    ours, theirs = agreed(ClientPerMessageDeflateFactory())
    missed = NEWS * (LARGEST // len(NEWS) + 1)
    assert bytes(theirs.decode(ours.encode(Frame(Opcode.TEXT, missed))).data) == missed
    assert deflated.cache_info().currsize == 0


def test_pings_are_sent_as_they_are() -> None:
    ours, _ = agreed(ClientPerMessageDeflateFactory())
    ping = Frame(Opcode.PING, b"there?")
    assert ours.encode(ping) is ping
