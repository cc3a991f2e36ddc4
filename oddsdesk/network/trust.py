"""Trusted certificates: those of the system."""

import ssl
from functools import cache
from pathlib import Path
from typing import Final

_BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Arch, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/ssl/cert.pem",  # macOS, BSD
)
"""Where systems keep certificates, for a bundled program, whose OpenSSL was built elsewhere."""


@cache
def system_trust() -> ssl.SSLContext:
    """Return a context that trusts the system's certificates; loading them takes about 20 ms.

    Certifi's are used if the system has none. TLS is at least 1.2.
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # Debian's Python leaves it to the system
    places = ssl.get_default_verify_paths()
    if not (places.cafile or places.capath or context.cert_store_stats()["x509_ca"]):
        import certifi  # noqa: PLC0415 - few systems need it, and the desk's own server none

        found = next((bundle for bundle in _BUNDLES if Path(bundle).is_file()), certifi.where())
        context.load_verify_locations(found)
    return context
