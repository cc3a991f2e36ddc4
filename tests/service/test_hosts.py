"""Host and Origin: no page that rebinds its name to us is answered (issue 3, item 5)."""

from typing import Any

import pytest

pytestmark = pytest.mark.one_engine


@pytest.fixture
def service(module_service: Any) -> Any:
    return module_service


def ask(service: Any, **headers: str) -> Any:
    return service.http.get("/api/health", headers=headers)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8765", "localhost", "LOCALHOST:1", "[::1]:8765"]
)
def test_loopback_names_are_served(service: Any, host: str) -> None:
    assert ask(service, Host=host).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "10.0.0.1", "[", "@", ""]
)
def test_other_hosts_are_refused(service: Any, host: str) -> None:
    answer = ask(service, Host=host)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "bad_request"
    assert answer.json()["error"]["message"].startswith("Host: ")


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"http://evil.example/api/health", 400),
        (b"http://localhost@evil.example/api/health", 400),
        (b"https://evil.example:8765/api/health", 400),
        (b"http://localhost/api/health", 200),
        (b"http://[::1]:8765/api/health", 200),
    ],
)
def test_the_host_of_an_absolute_target_counts(service: Any, target: bytes, status: int) -> None:
    """A target with a host of its own overrides the Host header (RFC 9112, 3.2.2)."""
    host = "localhost" if status == 400 else "evil.example"
    answer = service.http.get("/", headers={"Host": host}, extensions={"target": target})
    assert answer.status_code == status


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:8765"])
def test_pages_of_this_machine_may_ask(service: Any, origin: str) -> None:
    assert ask(service, Origin=origin).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "", "http://[", "file://"])
def test_pages_of_other_sites_are_refused(service: Any, origin: str) -> None:
    answer = ask(service, Origin=origin)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith("Origin: ")
