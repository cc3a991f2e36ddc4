"""Stream tokens: signed, bound to their key as it is now, 300 s, for one connection (D23)."""

import base64
import binascii
import hashlib
import hmac
import secrets
import struct
from typing import Final

from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.store.keys import Caller
from oddsdesk.store.quotas import Token

LIFETIME_S = 300

NONCE_BYTES: Final = 12
"""Of chance, by which a token that was used is known."""

_CLAIMS = struct.Struct(f">qq{NONCE_BYTES}s")
_SIZE = _CLAIMS.size + hashlib.sha256().digest_size
_PURPOSE = b"oddsdesk stream token"


def issue_token(secret: bytes, caller: Caller, now_ms: int) -> str:
    """Return a token that opens one stream for the caller's key within 300 s.

    ``secret`` is that of the access store.
    """
    nonce = secrets.token_bytes(NONCE_BYTES)
    claims = _CLAIMS.pack(caller.key_id, now_ms + LIFETIME_S * 1000, nonce)
    return base64.urlsafe_b64encode(claims + _signature(secret, caller, claims)).decode()


async def read_token(access: LoopAccess, token: str, now_ms: int) -> tuple[Caller, Token] | None:
    """Return whose token it is; None if forged, expired, or its key revoked or rotated.

    Whether it was used already is known to ``admission.open_connection`` only.
    None, too, for a longer life than any token is issued with: it was signed by somebody with a
    copy of the access file.
    """
    claimed = _claimed(token, now_ms)
    if claimed is None:
        return None
    claims, signature = claimed
    caller = await _signer(access, claims, signature)
    if caller is None:  # another process may have made or rotated the key just now
        await access.refresh()
        caller = await _signer(access, claims, signature)
    if caller is None:
        return None
    _, ends_ms, nonce = _CLAIMS.unpack(claims)
    return caller, Token(nonce, ends_ms)


def known_bearer(access: LoopAccess, token: str, now_ms: int) -> Caller | None:
    """Return whose token it is, as far as that is known; it waits for nothing."""
    claimed = _claimed(token, now_ms)
    if claimed is None:
        return None
    claims, signature = claimed
    return _who_signed(access, access.known_by_id(_CLAIMS.unpack(claims)[0]), claims, signature)


def _claimed(token: str, now_ms: int) -> tuple[bytes, bytes] | None:
    """Return what a token claims, and its signature; None where that cannot be a token of now."""
    try:
        raw = base64.b64decode(token, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(raw) != _SIZE:
        return None
    claims, signature = raw[: _CLAIMS.size], raw[_CLAIMS.size :]
    _, ends_ms, _ = _CLAIMS.unpack(claims)
    return (claims, signature) if now_ms < ends_ms <= now_ms + LIFETIME_S * 1000 else None


async def _signer(access: LoopAccess, claims: bytes, signature: bytes) -> Caller | None:
    key_id, *_ = _CLAIMS.unpack(claims)
    return _who_signed(access, await access.by_id(key_id), claims, signature)


def _who_signed(
    access: LoopAccess, caller: Caller | None, claims: bytes, signature: bytes
) -> Caller | None:
    if caller is None:
        return None
    is_theirs = hmac.compare_digest(signature, _signature(access.secret, caller, claims))
    return caller if is_theirs else None


def _signature(secret: bytes, caller: Caller, claims: bytes) -> bytes:
    """Sign the claims with the key's digest: another key of the same id signs differently."""
    return hmac.digest(secret, _PURPOSE + claims + caller.digest, "sha256")
