"""The providers' own types and validators, as judges of the bodies that we make. They are the test's, not ours."""

import copy
from functools import cache

import pydantic


def force(value):
    """Iterable fields are validated lazily: walk them."""
    if type(value).__name__ == "ValidatorIterator":
        return [force(item) for item in value]
    if isinstance(value, dict):
        return {key: force(item) for key, item in value.items()}
    return [force(item) for item in value] if isinstance(value, list) else value


@cache
def adapters():
    from anthropic.types import message_create_params as anthropic_params
    from google.genai import types as google
    from openai.types.chat import completion_create_params as chat_params
    from openai.types.responses import response_create_params as response_params

    return {
        "openai_chat": pydantic.TypeAdapter(chat_params.CompletionCreateParamsNonStreaming),
        "openai_responses": pydantic.TypeAdapter(response_params.ResponseCreateParamsNonStreaming),
        "anthropic": pydantic.TypeAdapter(anthropic_params.MessageCreateParamsNonStreaming),
        "gemini": pydantic.TypeAdapter(list[google.Content]),
    }


def judge(payload):
    """Raise when the provider's own types or validator refuse the body."""
    body = copy.deepcopy(payload.body)
    if payload.wire == "gemini":
        adapters()["gemini"].validate_python(body["contents"])
    elif payload.wire == "mistral":
        for version in versions(payload.profile):
            validator(version).validate_request(mistral_request(body))
    elif payload.wire == "bedrock":
        check, shape = bedrock_shape()
        problems = check.validate({"modelId": "m", **body}, shape)
        assert not problems.has_errors(), problems.generate_report()
    elif payload.wire == "ollama":
        import ollama

        ollama._types.ChatRequest(**{"model": "m", **body})
    elif payload.wire in adapters():
        force(adapters()[payload.wire].validate_python({"model": "m", **body}, strict=True))


@cache
def bedrock_shape():
    import botocore.session
    from botocore.validate import ParamValidator

    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    return ParamValidator(), service.operation_model("Converse").input_shape


def versions(profile):
    return ("v2", "v3") if profile == "mistral-v3" else ("v7", "v11", "v13")


@cache
def validator(version):
    from mistral_common.protocol.instruct.validator import ValidationMode, get_validator
    from mistral_common.tokens.tokenizers.base import TokenizerVersion

    return get_validator(TokenizerVersion(version), ValidationMode.serving)


def mistral_request(body):
    from mistral_common.protocol.instruct.request import ChatCompletionRequest

    return ChatCompletionRequest(**{"model": "m", **body})
