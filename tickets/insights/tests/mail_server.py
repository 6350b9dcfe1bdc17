"""A real SMTP server on loopback that keeps what it takes, and can refuse or hang up as real ones do (RFC 5321)."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message


class MailServer(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.mails: list[Message] = []
        self.refuses = False

    @property
    def port(self) -> int:
        return int(self.server_address[1])


class _Talk(socketserver.StreamRequestHandler):
    server: MailServer

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        self.say("220 mail.test ESMTP")
        while line := self.rfile.readline():
            word = line.strip().decode().upper()
            if word.startswith(("EHLO", "HELO")):
                self.say("250 mail.test")
            elif word.startswith("RCPT") and self.server.refuses:
                self.say("451 try again later")
            elif word == "DATA":
                self.say("354 go on")
                self.server.mails.append(message_from_bytes(self.body()))
                self.say("250 taken")
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")

    def body(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b".") else line)
        return b"".join(lines)


@contextmanager
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
