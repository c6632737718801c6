"""A server on this machine that can break in every way that a network does."""

import contextlib
import hashlib
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote

CONTENT = bytes(range(256)) * 1000


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Serves `server.others` by their paths, and for other paths `server.content`, or 404.

    Each request takes one fault of `server.faults`, and is recorded.
    """

    def do_GET(self):
        server = self.server
        asked = self.headers["Range"]
        path = unquote(self.path)
        content = server.others.get(path, server.content)
        server.asked.append(asked)
        server.tokens.append(self.headers["Authorization"])
        server.paths.append(path)
        fault = server.faults.pop(0) if server.faults else {}
        if "status" in fault or content is None:
            return self.send_error(fault.get("status", 404))
        start = int(re.fullmatch(r"bytes=(\d+)-", asked)[1]) if asked else 0
        if fault.get("no_ranges"):
            asked = None
            start = 0
        if asked and start >= len(content):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.send_header("Content-Length", "0")
            return self.end_headers()
        body = content[start:]
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if fault.get("chunked"):
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        body = body[: fault.get("cut")]
        server.sent += len(body)
        if fault.get("chunked"):
            body = b"%x\r\n%b\r\n" % (len(body), body)  # and no last chunk
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body)

    def log_message(self, *args):
        pass


def reset(server, content=CONTENT, faults=()):
    """Serve this content from now on; returns its source."""
    server.content = content
    server.faults = list(faults)
    server.others = {}
    server.asked = []
    server.tokens = []
    server.paths = []
    server.sent = 0
    return {
        "urls": [f"http://127.0.0.1:{server.server_port}/archive.zip"],
        "size": len(content),
        "sha256": sha256(content),
    }


@contextlib.contextmanager
def answering(head: bytes, piece: bytes = b"", pause: float = 0):
    """Yield the address of a server that sends `head`, and then `piece` for ever."""
    stop = threading.Event()

    def answer(connection):
        with connection, contextlib.suppress(OSError):
            connection.recv(1 << 16)
            connection.sendall(head)
            while piece and not stop.wait(pause):
                connection.sendall(piece)

    def serve():
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=server.accept()[:1], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            stop.set()
            server.shutdown(socket.SHUT_RDWR)
