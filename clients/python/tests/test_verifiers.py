"""Checks the verifiers with the messages that clients in every language are tested with."""

import json
import unittest
from collections.abc import Callable
from functools import partial
from pathlib import Path

from domain_connection_client import (
    EdgeVerificationError,
    RequestIds,
    WebhookVerificationError,
    verify_edge_request,
    verify_webhook,
)

VECTORS = json.loads((Path(__file__).parents[2] / "vectors.json").read_text(encoding="utf-8"))


def code_of(check: Callable[[], object]) -> str | None:
    try:
        check()
        return None
    except (EdgeVerificationError, WebhookVerificationError) as error:
        return error.code


def verify_edge(vector: dict, ids: RequestIds | None = None) -> str | None:
    headers = {
        "X-Svc-Edge-Signature": vector["signature"],
        "X-Forwarded-Host": vector["host"],
        "X-Request-Id": vector["id"],
        **({"X-Svc-Metadata": vector["metadata"]} if vector["metadata"] else {}),
    }
    request = (vector["method"], vector["uri"], headers)
    return code_of(partial(verify_edge_request, *request, vector["secrets"], request_ids=ids, now=vector["now"]))


class Verifiers(unittest.TestCase):
    def test_webhooks(self) -> None:
        for vector in VECTORS["webhooks"]:
            headers = {"X-Svc-Timestamp": vector["timestamp"], "X-Svc-Signature": vector["signature"]}
            check = partial(verify_webhook, vector["body"].encode(), headers, vector["secrets"], now=vector["now"])
            with self.subTest(vector["name"]):
                self.assertEqual(code_of(check), vector["code"])

    def test_requests_of_edges(self) -> None:
        for vector in VECTORS["edge"]:
            with self.subTest(vector["name"]):
                self.assertEqual(verify_edge(vector), vector["code"])

    def test_a_request_is_accepted_once(self) -> None:
        ids = RequestIds()
        self.assertEqual([verify_edge(VECTORS["edge"][0], ids) for _ in range(2)], [None, "replayed"])


if __name__ == "__main__":
    unittest.main()
