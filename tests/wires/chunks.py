"""Streams as servers send them, for the tests of the decoders."""

import json

from triptych.model.reply import reduce_events


def sse(*chunks, done=False):
    data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    return (data + ("data: [DONE]\n\n" if done else "")).encode()


def named(*events):
    """Server-sent events whose name is the ``type`` of their data."""
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


def read(decoder, *pieces):
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.close()


def reply(decoder, *pieces):
    return reduce_events(read(decoder, *pieces))
