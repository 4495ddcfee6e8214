"""Every rule of the linter, as data: sentence, source, and who rejects what breaks it, in its own words.

Not here: how a rule is looked for (``rules.<wire>``).
"""

from __future__ import annotations

from types import MappingProxyType

from triptych.model.profile import WireName
from triptych.wires.profiles import WIRES
from triptych.wires.rules.finding import Rule

__all__ = ["RULES"]

_OPENAI: tuple[WireName, ...] = ("openai_chat", "mistral", "ollama")
_TURNS: tuple[WireName, ...] = ("anthropic", "bedrock")
_WITH_IDS: tuple[WireName, ...] = (
    "openai_chat",
    "openai_responses",
    "anthropic",
    "bedrock",
    "mistral",
    "gemini",
)

_TABLE = (
    Rule(
        id="body.shape",
        sentence="The body does not have the shape of this wire.",
        source="the types of the provider's own client",
        wires=WIRES,
        rejected_by={
            "anthropic": "messages: Field required",
            "openai_chat": "Missing required parameter: 'messages'.",
        },
    ),
    Rule(
        id="role.unknown",
        sentence="This role does not exist here.",
        source="the types of the provider's own client",
        wires=WIRES,
        rejected_by={"gemini": "Please use a valid role: user, model."},
    ),
    Rule(
        id="system.place",
        sentence="System text may not stand here.",
        source="vllm#44505, Rapid-MLX#1543, localharness#107; mistral-common's request validator",
        wires=_OPENAI,
        rejected_by={
            "openai_chat": "System message must be at the beginning.",
            "mistral": "Unexpected role 'system' after role 'assistant'",
        },
    ),
    Rule(
        id="turn.empty",
        sentence="A message holds nothing.",
        source="anthropics/anthropic-sdk-python#461, haystack#12545",
        wires=WIRES,
        rejected_by={
            "anthropic": "messages: text content blocks must be non-empty",
            "mistral": "Assistant message must have either content or tool_calls, but not none.",
        },
    ),
    Rule(
        id="text.empty",
        sentence="A text has no visible character.",
        source="kibitz#78, hermes-agent#41985",
        wires=WIRES,
        rejected_by={
            "anthropic": "messages: text content blocks must contain non-whitespace text",
            "bedrock": "The text field in the ContentBlock object is blank.",
        },
    ),
    Rule(
        id="text.characters",
        sentence="A text holds a lone surrogate or NUL.",
        source="aider#3460, litellm#3730, langgraph#1878",
        wires=WIRES,
        rejected_by=dict.fromkeys(
            WIRES, "'utf-8' codec can't encode character: surrogates not allowed (every HTTP client)"
        ),
    ),
    Rule(
        id="turn.alternation",
        sentence="User and assistant have to take turns.",
        source="llama.cpp#19851, aider#2974, autogen#1037; mistral-common's request validator",
        wires=WIRES,
        rejected_by={
            "openai_chat": "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
            "mistral": "Unexpected role after role",
        },
    ),
    Rule(
        id="turn.first",
        sentence="The first turn has to be the user's.",
        source="lobehub#5601, strands#1749, strands#2085",
        wires=WIRES,
        rejected_by={
            "openai_chat": "The first message (except the system message) of deepseek-reasoner must be a user message, but an assistant message detected.",
            "gemini": "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
            "bedrock": "A conversation must start with a user message.",
        },
    ),
    Rule(
        id="turn.last",
        sentence="The last turn may not be the assistant's.",
        source="openfang#1011, litellm#4931; anthropic 2.14.0 types",
        wires=WIRES,
        rejected_by={
            "mistral": "Expected last role to be one of: [tool, user] but got assistant",
            "anthropic": "This model does not support assistant message prefill. The conversation must end with a user message.",
        },
    ),
    Rule(
        id="turn.none",
        sentence="There is no turn of a user.",
        source="langchain#26895; the types of the provider's own client",
        wires=WIRES,
        rejected_by={
            "anthropic": "messages: at least one message is required",
            "gemini": "contents is not specified",
        },
    ),
    Rule(
        id="call.unanswered",
        sentence="A call has no result directly behind its turn.",
        source="pydantic-ai#4728, langchain#25716, openai-agents-python#673, gemini-cli#4217, strands#1435",
        wires=WIRES,
        rejected_by={
            "anthropic": "`tool_use` ids were found without `tool_result` blocks immediately after",
            "openai_chat": "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
            "openai_responses": "No tool output found for function call",
            "gemini": "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
            "bedrock": "Expected toolResult blocks for the following Ids",
            "mistral": "Not the same number of function calls and responses",
        },
    ),
    Rule(
        id="result.orphan",
        sentence="A result answers no call of the turn before it.",
        source="openclaw#29220, letta#3250, litellm#4931, gemini-cli#26956",
        wires=WIRES,
        rejected_by={
            "anthropic": "unexpected `tool_use_id` found in `tool_result` blocks",
            "openai_chat": "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
            "openai_responses": "No tool call found for function call output with call_id",
            "gemini": "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
            "mistral": "Unexpected role 'tool' after role 'user'",
        },
    ),
    Rule(
        id="result.duplicate",
        sentence="A call has more than one result.",
        source="litellm#23510; openai-agents 0.24.0 (measured)",
        wires=_WITH_IDS,
        rejected_by={"anthropic": "each tool_use must have a single result"},
    ),
    Rule(
        id="result.place",
        sentence="Results have to stand before anything else in the turn that follows their calls.",
        source="pydantic-ai's message merging; langchain#34195",
        wires=("anthropic", "bedrock", "gemini"),
        rejected_by={"anthropic": "`tool_use` ids were found without `tool_result` blocks immediately after"},
    ),
    Rule(
        id="result.content",
        sentence="The content of a result has to be one text.",
        source="strands#1696, strands#1878",
        wires=_OPENAI,
        rejected_by={"openai_chat": "accepted and ignored by vLLM, SGLang, Ollama and others"},
    ),
    Rule(
        id="result.text-beside",
        sentence="Text may not stand beside results in one message for this family.",
        source="strands#1223",
        wires=("bedrock",),
    ),
    Rule(
        id="call.text-beside",
        sentence="Text may not stand beside calls in one message for this model.",
        source="mistral-common's request validator up to v3",
        wires=("mistral",),
        rejected_by={"mistral": "Assistant message must have either content or tool_calls, but not both."},
    ),
    Rule(
        id="call.id-duplicate",
        sentence="A call id is used twice in the request.",
        source="litellm#23510, Switchyard#502, Cyber-AutoAgent-ng#72",
        wires=_WITH_IDS,
        rejected_by={
            "anthropic": "`tool_use` ids must be unique",
            "bedrock": "The toolUse blocks contain duplicate Ids",
        },
    ),
    Rule(
        id="call.id-pattern",
        sentence="A call id has characters or a length that are not allowed.",
        source="litellm#21114, vercel/ai#5171, fastllm#45; mistral-common's request validator",
        wires=_WITH_IDS,
        rejected_by={
            "anthropic": "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            "openai_chat": "string too long. Expected a string with maximum length 40",
            "openai_responses": "Invalid 'input[].call_id': string too long. Expected a string with maximum length 64",
            "mistral": "Tool call id has to be defined and be a string of 9 characters, a-z, A-Z, 0-9.",
        },
    ),
    Rule(
        id="call.name",
        sentence="A tool name in the history is not allowed.",
        source="openai 3.57.0 FunctionDefinition, botocore ToolName, mcp-use#90",
        wires=WIRES,
        rejected_by={
            "openai_chat": "Invalid 'messages[].tool_calls[].function.name': string does not match pattern",
            "bedrock": "Value at toolUse.name failed to satisfy constraint",
        },
    ),
    Rule(
        id="call.arguments",
        sentence="The arguments of a call are no JSON object.",
        source="anthropic 2.14.0 ToolUseBlockParam, hermes-agent#10631, haystack#11972",
        wires=WIRES,
        rejected_by={
            "anthropic": "tool_use.input: Input should be a valid dictionary",
            "openai_chat": "invalid JSON in function arguments (servers that parse them)",
        },
    ),
    Rule(
        id="message.name",
        sentence="The name of a message is not allowed.",
        source="langchain#35054, autogen#4157, pollinations#10653",
        wires=("openai_chat",),
        rejected_by={
            "openai_chat": r"Invalid 'messages[].name': string does not match pattern. Expected a string that matches the pattern '^[^\s<|\\/>]+$'."
        },
    ),
    Rule(
        id="message.null",
        sentence="The content of a message is null where a text is needed.",
        source="autogen#5699; openai 3.57.0 types",
        wires=("openai_chat", "ollama"),
        rejected_by={"openai_chat": "Invalid value for 'content': expected a string, got null."},
    ),
    Rule(
        id="tool.name",
        sentence="The name of an offered tool is not allowed, or is offered twice.",
        source="openai 3.57.0 FunctionDefinition, botocore ToolName; mistral-common's request validator",
        wires=WIRES,
        rejected_by={
            "openai_chat": "Invalid 'tools[].function.name': string does not match pattern",
            "anthropic": "tools: Tool names must be unique.",
        },
    ),
    Rule(
        id="tool.missing",
        sentence="The history holds calls, but no tools are defined.",
        source="litellm's dummy tool, dify#17545, pydantic-ai#1966",
        wires=_TURNS,
        rejected_by={
            "bedrock": "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
            "anthropic": "Requests which include `tool_use` or `tool_result` blocks must define tools",
        },
    ),
    Rule(
        id="tool.choice",
        sentence="The tool that has to be called is not offered.",
        source="langchainjs#10519, sglang#28862",
        wires=("openai_chat", "openai_responses", "anthropic", "gemini", "bedrock", "mistral"),
        rejected_by={"anthropic": "Tool 'required' not found in provided tools"},
    ),
    Rule(
        id="tool.schema",
        sentence="The parameters of a tool are no JSON Schema of an object.",
        source="anthropic 2.14.0 ToolParam; mistral-common's request validator",
        wires=WIRES,
        rejected_by={"anthropic": "tools.0.custom.input_schema.type: Field required"},
    ),
    Rule(
        id="media.place",
        sentence="This medium may not stand here.",
        source="OpenHands#7700, ollama#16038, botocore Message",
        wires=WIRES,
        rejected_by={
            "openai_chat": "Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL."
        },
    ),
    Rule(
        id="media.count",
        sentence="There are more media than may go into one request or message.",
        source="crush#3810, botocore Message",
        wires=WIRES,
        rejected_by={"bedrock": "too many images in the message"},
    ),
    Rule(
        id="media.size",
        sentence="A picture is larger than a request with so many of them may hold.",
        source="crush#3810, claude-code#24630",
        wires=_TURNS,
        rejected_by={
            "anthropic": "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"
        },
    ),
    Rule(
        id="media.type",
        sentence="This type of media is not read here.",
        source="anthropic 2.14.0 types, botocore ImageFormat",
        wires=WIRES,
        rejected_by={
            "anthropic": "image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
        },
    ),
    Rule(
        id="media.bytes",
        sentence="The bytes of a picture are of another type than it says.",
        source="llxprt-code#2130",
        wires=("anthropic",),
        rejected_by={
            "anthropic": "The image was specified using the image/jpeg media type, but the image appears to be a image/png image"
        },
    ),
    Rule(
        id="request.size",
        sentence="The request has more bytes than are taken.",
        source="pi#401",
        wires=WIRES,
        rejected_by={"anthropic": "Request exceeds the maximum size (413 request_too_large)"},
    ),
    Rule(
        id="reasoning.pair",
        sentence="A reasoning item stands without the item that followed it, or an item with an id without its reasoning.",
        source="vercel/ai#7099, continue#8933, continue#12620",
        wires=("openai_responses",),
        rejected_by={
            "openai_responses": "Item 'rs_…' of type 'reasoning' was provided without its required following item."
        },
    ),
    Rule(
        id="reasoning.fields",
        sentence="A reasoning item or block lacks what makes it valid: id and summary, or its signature or data.",
        source="openai 3.57.0 ResponseReasoningItemParam, anthropic 2.14.0 ThinkingBlockParam, Agora#141",
        wires=("openai_responses", "anthropic", "bedrock"),
        rejected_by={
            "openai_responses": "missing required field `summary`",
            "anthropic": "thinking.signature: Field required",
        },
    ),
    Rule(
        id="reasoning.refused",
        sentence="This model takes no reasoning of earlier turns.",
        source="openai-agents-python#2602",
        wires=("openai_responses",),
        rejected_by={
            "openai_responses": "Reasoning input items can only be provided to a reasoning or computer use model."
        },
    ),
    Rule(
        id="reasoning.last",
        sentence="A turn ends in reasoning.",
        source="the Anthropic API's own sentence",
        wires=_TURNS,
        rejected_by={"anthropic": "The final block in an assistant message cannot be `thinking`."},
    ),
    Rule(
        id="reasoning.missing",
        sentence="A turn with calls lacks the reasoning (or its signature) that has to come back with it.",
        source="pi#3636, litellm#16893, ai.google.dev thought signatures",
        wires=("openai_chat", "gemini"),
        rejected_by={"gemini": "Function call is missing a thought_signature in functionCall parts."},
    ),
    Rule(
        id="thinking.open-turn",
        sentence="Thinking is on, but the open tool turn does not begin with thinking.",
        source="dev.to/ji_ai (quotes the sentence); claude-code#26314",
        wires=("anthropic",),
        rejected_by={"anthropic": "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`"},
    ),
    Rule(
        id="thinking.budget",
        sentence="The thinking budget has to be at least 1024 and less than max_tokens.",
        source="anthropic 2.14.0 ThinkingConfigEnabledParam",
        wires=("anthropic",),
        rejected_by={"anthropic": "`max_tokens` must be greater than `thinking.budget_tokens`."},
    ),
    Rule(
        id="option.max-tokens",
        sentence="max_tokens has to be a whole number above zero.",
        source="anthropic 2.14.0 MessageCreateParams",
        wires=("anthropic",),
        rejected_by={"anthropic": "max_tokens: Field required"},
    ),
    Rule(
        id="item.duplicate",
        sentence="An item id stands twice in the input.",
        source="pi#5149, vercel/ai#7883",
        wires=("openai_responses",),
        rejected_by={
            "openai_responses": "Duplicate item found with id msg_4. Remove duplicate items from your input and try again."
        },
    ),
    Rule(
        id="item.id",
        sentence="An item id has characters that are not allowed.",
        source="OpenHands software-agent-sdk#4578",
        wires=("openai_responses",),
    ),
    Rule(
        id="cache.marks",
        sentence="There are more cache marks than allowed.",
        source="Anthropic.SDK#50",
        wires=_TURNS,
        rejected_by={"anthropic": "A maximum of 4 blocks with cache_control may be provided."},
    ),
    Rule(
        id="cache.empty",
        sentence="A cache mark stands on an empty text.",
        source="claude-code#59812",
        wires=("anthropic",),
        rejected_by={"anthropic": "cache_control cannot be set for empty text blocks"},
    ),
    Rule(
        id="prefill.space",
        sentence="The last assistant text ends in white space.",
        source="langchain#35071, crewAI#4413",
        wires=_TURNS,
        rejected_by={"anthropic": "messages: final assistant content cannot end with trailing whitespace"},
    ),
    Rule(
        id="prefill.mark",
        sentence="Only a last assistant message may be (and has to be) marked as a prefix.",
        source="mistral-common's request validator",
        wires=("mistral",),
        rejected_by={"mistral": "Expected last role to be one of: [tool, user] but got assistant"},
    ),
    Rule(
        id="document.text",
        sentence="A document needs a text beside it, and a neutral name.",
        source="botocore Message, DocumentBlock",
        wires=("bedrock",),
        rejected_by={"bedrock": "The document name contains characters that are not allowed"},
    ),
    Rule(
        id="part.fields",
        sentence="A part has to have exactly one kind of data.",
        source="google-genai 3.6.1 Part",
        wires=("gemini",),
        rejected_by={"gemini": "contents.parts must not be empty."},
    ),
)

RULES = MappingProxyType({rule.id: rule for rule in _TABLE})
"""The rules by id."""
