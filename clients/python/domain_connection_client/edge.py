"""Verification of requests that an edge of the service forwards to an origin."""

import base64
import hashlib
import hmac
import re
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Protocol

from .webhooks import header_of, secrets_of


class EdgeVerificationError(Exception):
    """The request does not come from an edge of the service. Answer with 403."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        """missing_header, too_old, bad_signature or replayed."""


class RequestIdStore(Protocol):
    """Ids of accepted requests. Several processes need a shared store, such as Redis (``SET id 1 NX EX 600``)."""

    def add(self, request_id: str) -> bool:
        """Adds an id for at least ten minutes. Returns False if it is there already."""
        ...


class RequestIds:
    """Request ids in the memory of this process, for ten to twenty minutes."""

    def __init__(self) -> None:
        self._young: set[str] = set()
        self._old: set[str] = set()
        self._since = time.monotonic()
        self._lock = threading.Lock()

    def add(self, request_id: str) -> bool:
        with self._lock:
            if time.monotonic() - self._since > 600:
                self._young, self._old, self._since = set(), self._young, time.monotonic()
            if request_id in self._young or request_id in self._old:
                return False
            self._young.add(request_id)
            return True


def verify_edge_request(
    method: str,
    uri: str,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    request_ids: RequestIdStore | None = None,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> None:
    """Verifies that an edge of the service sent this request, unaltered and in the last five minutes.

    Raises an EdgeVerificationError otherwise. ``uri`` is the path with the query, exactly as received: frameworks decode
    it, so take ``RAW_URI`` (gunicorn), ``REQUEST_URI`` (uWSGI), or ``raw_path`` and ``query_string`` (ASGI). During a
    rotation, pass both secrets. The body is not signed.
    """
    signature = re.fullmatch(r"t=([0-9]{1,12})((?:,v1=[0-9a-f]{64})+)", header_of(headers, "x-svc-edge-signature"))
    request_id = header_of(headers, "x-request-id")
    if signature is None or request_id == "":
        raise EdgeVerificationError("missing_header", "X-Svc-Edge-Signature or X-Request-Id is missing or malformed.")
    if abs((time.time() if now is None else now) - int(signature[1])) > tolerance_seconds:
        raise EdgeVerificationError("too_old", "The signature is too far from the current time.")
    host = re.sub(r":[0-9]+$", "", header_of(headers, "x-forwarded-host").lower())
    digest = hashlib.sha256(_bytes_of(header_of(headers, "x-svc-metadata"))).hexdigest()
    signed = _bytes_of("\n".join([signature[1], method.upper(), host, uri, request_id, digest]))
    given = signature[2].split(",v1=")[1:]
    if not any(hmac.compare_digest(_sign(one, signed), value) for one in secrets_of(secret) for value in given):
        raise EdgeVerificationError("bad_signature", "The signature does not match the request and the secret.")
    if request_ids is not None and not request_ids.add(request_id):
        raise EdgeVerificationError("replayed", "A request with this id was accepted before.")


def _sign(secret: str, signed: bytes) -> str:
    return hmac.new(base64.b64decode(secret.removeprefix("edgesec_")), signed, hashlib.sha256).hexdigest()


def _bytes_of(text: str) -> bytes:
    """WSGI and ASGI servers read URLs and headers as Latin-1: one character for each byte."""
    return text.encode("latin-1", "replace")
