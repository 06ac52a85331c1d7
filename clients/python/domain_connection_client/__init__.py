"""Client of the Domain Connection Service, and checks of its webhooks and of its edges' requests."""

from .client import AuthenticatedClient, Client
from .edge import EdgeVerificationError, RequestIds, verify_edge_request
from .service import ApiError, NotReachedError, content_of, create_client, paginate, wait_until
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = (
    "ApiError",
    "AuthenticatedClient",
    "Client",
    "EdgeVerificationError",
    "NotReachedError",
    "RequestIds",
    "WebhookVerificationError",
    "content_of",
    "create_client",
    "paginate",
    "verify_edge_request",
    "verify_webhook",
    "wait_until",
)
