"""An ASGI application that answers with the path and headers it was sent."""

import json


async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    body = json.dumps({"path": scope["path"], "version": scope["http_version"], "headers": headers}).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(len(body)).encode())]})
    await send({"type": "http.response.body", "body": body})
