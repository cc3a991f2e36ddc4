"""A webhook of the machine itself that notes what is posted to it."""

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SECRET = "hooks/secret-path-1234"


class _Hook(http.server.BaseHTTPRequestHandler):
    posted: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).posted.append({"path": self.path, **json.loads(body)})
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def webhook(port: int = 0) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve one; its address, which holds ``SECRET``, and what has been posted to it."""
    handler = type("Noting", (_Hook,), {"posted": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{SECRET}", handler.posted
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
