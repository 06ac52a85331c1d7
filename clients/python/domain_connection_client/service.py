"""Helpers for calls of the service."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar
from uuid import UUID

import httpx

from .api.connections import get_connections_by_id
from .client import AuthenticatedClient
from .models import ConnectionDetail, Error
from .types import UNSET, Response, Unset

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class ApiError(Exception):
    """An error answer of the service. ``code`` is stable; the message explains to people what to do."""

    def __init__(self, response: Response[T]) -> None:
        error = response.parsed.error if isinstance(response.parsed, Error) else None
        super().__init__(error.message if error else f"The service answered {response.status_code.value}.")
        self.status = response.status_code.value
        self.code = error.code if error else "unknown"
        self.details = error.details if error else None
        self.request_id = response.headers.get("x-request-id")
        """Id of the request, which the service's log contains."""


class NotReachedError(Exception):
    """A connection did not reach the wanted state: it failed, was archived, or the time was over."""

    def __init__(self, connection: ConnectionDetail, wanted: str) -> None:
        fixes = [part for finding in connection.findings for part in (finding.message, finding.fix) if part]
        super().__init__(" ".join([f"{connection.hostname} is {connection.state}, not {wanted}.", *fixes]))
        self.connection = connection


def create_client(base_url: str, credential: str, *, timeout_seconds: float = 30) -> AuthenticatedClient:
    """Creates a client. The credential is an API key or a widget token."""
    return AuthenticatedClient(base_url=base_url, token=credential).with_timeout(httpx.Timeout(timeout_seconds))


def content_of(response: Response[T | Error]) -> T:
    """Returns the content of an answer of ``sync_detailed`` or ``asyncio_detailed``. Raises an ApiError for an error."""
    if response.status_code.value >= 400 or isinstance(response.parsed, Error):
        raise ApiError(response)
    return response.parsed  # type: ignore[return-value]


class Page(Protocol[T_co]):
    """A page of a list."""

    @property
    def data(self) -> Sequence[T_co]: ...

    @property
    def next_cursor(self) -> str | None: ...


def paginate(page: Callable[[str | Unset], Response[Page[T] | Error]]) -> Iterator[T]:
    """Yields every item of a list, page by page: ``paginate(lambda cursor: get_….sync_detailed(…, cursor=cursor))``."""
    cursor: str | Unset | None = UNSET
    while cursor is not None:
        content = content_of(page(cursor))
        yield from content.data
        cursor = content.next_cursor


def wait_until(
    client: AuthenticatedClient,
    connection_id: UUID,
    state: str,
    *,
    timeout_seconds: float = 600,
    on_check: Callable[[ConnectionDetail], None] | None = None,
) -> ConnectionDetail:
    """Polls as often as the service asks for, until the connection is in this state.

    Raises a NotReachedError, with the fixes, if the connection fails, is archived, or takes too long.
    """
    end = time.monotonic() + timeout_seconds
    while True:
        response = get_connections_by_id.sync_detailed(connection_id, client=client)
        connection: ConnectionDetail | None = None
        if response.status_code.value not in (429, 503):
            connection = content_of(response)
            if on_check is not None:
                on_check(connection)
            if connection.state == state:
                return connection
            if connection.state in ("failed", "archived"):
                raise NotReachedError(connection, state)
        wait = float(response.headers.get("retry-after", 3))
        if time.monotonic() + wait > end:
            raise ApiError(response) if connection is None else NotReachedError(connection, state)
        time.sleep(wait)
