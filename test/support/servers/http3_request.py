"""One request by HTTP/3: http3_request.py <folder of aioquic> <port> <server name> <authority> <path> <root file>.

Prints the answer as JSON: status, headers, body. A connection that the server ends is {"status": 0}.
"""
import asyncio
import json
import sys

folder, port, server_name, authority, path, root = sys.argv[1:7]
sys.path.insert(0, folder)

from aioquic.asyncio.client import connect  # noqa: E402
from aioquic.asyncio.protocol import QuicConnectionProtocol  # noqa: E402
from aioquic.h3.connection import H3_ALPN, H3Connection  # noqa: E402
from aioquic.h3.events import DataReceived, HeadersReceived  # noqa: E402
from aioquic.quic.configuration import QuicConfiguration  # noqa: E402
from aioquic.quic.events import ConnectionTerminated, StreamReset  # noqa: E402


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.http = H3Connection(self._quic)
        self.answer = asyncio.get_running_loop().create_future()
        self.headers, self.body = {}, b""

    def ask(self):
        if self.answer.done():
            self.answer = asyncio.get_running_loop().create_future()
            self.headers, self.body = {}, b""
        stream = self._quic.get_next_available_stream_id()
        names = {":method": "GET", ":scheme": "https", ":authority": authority, ":path": path, "cookie": "a=b"}
        self.http.send_headers(stream, [(k.encode(), v.encode()) for k, v in names.items()], end_stream=True)
        self.transmit()

    def finish(self, status):
        if not self.answer.done():
            self.answer.set_result({"status": status, "headers": self.headers, "body": self.body.decode()})

    def quic_event_received(self, event):
        if isinstance(event, (ConnectionTerminated, StreamReset)):
            self.finish(0)
        for seen in self.http.handle_event(event):
            if isinstance(seen, HeadersReceived):
                self.headers.update({k.decode(): v.decode() for k, v in seen.headers})
            if isinstance(seen, DataReceived):
                self.body += seen.data
            if getattr(seen, "stream_ended", False):
                self.finish(int(self.headers[":status"]))


def opened():
    configuration = QuicConfiguration(alpn_protocols=H3_ALPN, is_client=True, server_name=server_name)
    configuration.load_verify_locations(root)
    return connect("127.0.0.1", int(port), configuration=configuration, create_protocol=Client)


async def main():
    async with opened() as client:
        client.ask()
        print(json.dumps(await asyncio.wait_for(client.answer, 10)))


if __name__ == "__main__":
    asyncio.run(main())
