"""Stream tokens: signed, bound to their key as it is now, 300 s (D23)."""

import base64
import binascii
import hashlib
import hmac
import struct

from oddsdesk.store.access import AccessStore
from oddsdesk.store.keys import Caller

LIFETIME_S = 300

_CLAIMS = struct.Struct(">qq")
_SIZE = _CLAIMS.size + hashlib.sha256().digest_size
_PURPOSE = b"oddsdesk stream token"


def issue_token(access: AccessStore, caller: Caller, now_ms: int) -> str:
    """Return a token that opens the stream for the caller's key within 300 s."""
    claims = _CLAIMS.pack(caller.key_id, now_ms + LIFETIME_S * 1000)
    return base64.urlsafe_b64encode(claims + _signature(access, caller, claims)).decode()


def read_token(access: AccessStore, token: str, now_ms: int) -> Caller | None:
    """Return whose token it is; None if forged, expired, or its key revoked or rotated.

    None, too, for a longer life than any token is issued with: it was signed by somebody with a
    copy of the access file.
    """
    try:
        raw = base64.b64decode(token, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(raw) != _SIZE:
        return None
    claims, signature = raw[: _CLAIMS.size], raw[_CLAIMS.size :]
    key_id, ends_ms = _CLAIMS.unpack(claims)
    caller = access.keys.by_id(key_id)
    if caller is None or not hmac.compare_digest(signature, _signature(access, caller, claims)):
        return None
    return caller if now_ms < ends_ms <= now_ms + LIFETIME_S * 1000 else None


def _signature(access: AccessStore, caller: Caller, claims: bytes) -> bytes:
    """Sign the claims with the key's digest: another key of the same id signs differently."""
    return hmac.digest(access.secret, _PURPOSE + claims + caller.digest, "sha256")
