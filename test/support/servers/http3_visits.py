"""Requests over a kept HTTP/3 connection until stdin ends: the same arguments as http3_request.py.

A connection that is lost is opened again, and its request counts as failed. Prints a line after the first answer, and counts as JSON at the end.
"""
import asyncio
import json
import sys

from http3_request import opened

ANSWER_LIMIT = 3


async def main():
    counts = {"requests": 0, "failed": 0, "connections": 0, "failed_connections": 0}
    loop = asyncio.get_running_loop()
    over = loop.run_in_executor(None, sys.stdin.read)
    while not over.done():
        try:
            async with asyncio.timeout(ANSWER_LIMIT):
                opening = opened()
                client = await opening.__aenter__()
        except (TimeoutError, ConnectionError):
            counts["failed_connections"] += 1
            continue
        counts["connections"] += 1
        while not over.done():
            client.ask()
            try:
                answer = await asyncio.wait_for(client.answer, ANSWER_LIMIT)
            except TimeoutError:
                answer = {"status": 0}
            counts["requests" if answer["status"] == 200 else "failed"] += 1
            if answer["status"] != 200:
                break
            if counts["requests"] == 1:
                print("ready", flush=True)
            await asyncio.sleep(0.02)
        client.close()
    print(json.dumps(counts), flush=True)


asyncio.run(main())
