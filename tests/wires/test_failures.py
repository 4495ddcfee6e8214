import json

import pytest

from triptych.wires.reading.failures import failure_from, failure_from_response, is_retryable


@pytest.mark.parametrize(
    ("status", "body", "message", "code", "retryable"),
    [
        (401, {"error": {"message": "Bad key", "type": "invalid_request_error", "code": "invalid_api_key"}}, "Bad key", "invalid_request_error", False),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "Overloaded", "overloaded_error", True),
        (503, {"error": {"code": 503, "message": "Busy", "status": "UNAVAILABLE"}}, "Busy", "UNAVAILABLE", True),
        (400, [{"error": {"code": 400, "message": "No", "status": "INVALID_ARGUMENT"}}], "No", "INVALID_ARGUMENT", False),
        (404, {"error": "model not found"}, "model not found", None, False),
        (422, {"detail": [{"loc": ["body"], "msg": "field required"}]}, "[{'loc': ['body'], 'msg': 'field required'}]", None, False),
        (400, {"object": "error", "message": "Too long", "code": 400}, "Too long", "error", False),
        (500, {"code": 500, "message": "No sense", "type": "server_error"}, "No sense", "server_error", True),
    ],
)  # fmt: skip
def test_bodies_of_every_vendor(status, body, message, code, retryable):
    failure = failure_from_response(status, json.dumps(body))
    assert (failure.message, failure.status, failure.retryable) == (message, status, retryable)
    assert failure.code in (code, None) if code == "error" else failure.code == code


def test_what_is_no_json_is_shown_short():
    assert (
        failure_from_response(502, "<html><title>Bad Gateway</title>…").message
        == "The server answered 502: Bad Gateway."
    )
    assert failure_from_response(500, "").message == "The server answered 500."
    assert failure_from_response(500, "<html>").message == "The server answered 500."
    assert len(failure_from_response(500, "x" * 9000).message) < 700


def test_what_tells_of_no_failure_is_none():
    assert failure_from({}) is None
    assert failure_from(None) is None
    assert failure_from({"error": True}) is None
    assert failure_from({"error": {}}) is None


def test_words_and_numbers_that_mean_later():
    assert is_retryable(429)
    assert is_retryable(None, "RESOURCE_EXHAUSTED")
    assert not is_retryable(400, "invalid_request_error")
