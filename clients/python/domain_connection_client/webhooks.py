"""Verification of webhooks."""

import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any


class WebhookVerificationError(Exception):
    """The request does not come from the service. Answer with 400 and ignore the body."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        """missing_header, too_old or bad_signature."""


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> dict[str, Any]:
    """Verifies a webhook and returns its event.

    Raises a WebhookVerificationError unless the service signed it with this secret in the last five minutes. Pass the
    raw body: parsing and serializing it again changes the bytes. During a rotation, pass both secrets. An event can
    arrive more than once, so store its ``id`` to skip duplicates.
    """
    timestamp = header_of(headers, "x-svc-timestamp")
    signature = re.fullmatch(r"sha256=([0-9a-f]{64})", header_of(headers, "x-svc-signature"))
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None or signature is None:
        raise WebhookVerificationError("missing_header", "X-Svc-Timestamp or X-Svc-Signature is missing or malformed.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("too_old", "The timestamp is too far from the current time.")
    signed = timestamp.encode() + b"." + body
    for candidate in secrets_of(secret):
        wanted = hmac.new(candidate.encode(), signed, hashlib.sha256).hexdigest()
        if hmac.compare_digest(wanted, signature[1]):
            event: dict[str, Any] = json.loads(body)
            return event
    raise WebhookVerificationError("bad_signature", "The signature does not match the body and the secret.")


def header_of(headers: Mapping[str, str], name: str) -> str:
    """Returns a header's value; empty if it is absent. Names of headers have no case."""
    return next((value for key, value in headers.items() if key.lower() == name), "")


def secrets_of(secret: str | Iterable[str]) -> list[str]:
    """Returns one or several secrets as a list."""
    return [secret] if isinstance(secret, str) else list(secret)
