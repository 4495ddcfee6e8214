"""A language model of random numbers, written in a tenth of a second: every byte is a token, it knows nothing.

Enough for everything about a server that does not need sense: streams, grammars, cancelling, caches.
"""

import numpy as np
from gguf import GGUFWriter

WIDTH, INNER, HEADS, CONTEXT = 32, 64, 2, 16384
SPECIAL = ["<end>", "<start>"]


def byte_letters():
    """The printable letter by which the GPT-2 vocabulary spells each byte."""
    plain = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    spare = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(spare)) for byte in range(256)]


def write_tiny_model(path, seed=0):
    """Write the GGUF file; the same seed gives the same model."""
    tokens = [*SPECIAL, *byte_letters()]
    numbers = np.random.default_rng(seed)
    writer = GGUFWriter(str(path), "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([3] * len(SPECIAL) + [1] * 256)
    writer.add_token_merges([f"{tokens[2]} {tokens[3]}"])
    writer.add_eos_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_add_bos_token(False)
    shapes = {
        "token_embd.weight": (len(tokens), WIDTH),
        "blk.0.attn_q.weight": (WIDTH, WIDTH),
        "blk.0.attn_k.weight": (WIDTH, WIDTH),
        "blk.0.attn_v.weight": (WIDTH, WIDTH),
        "blk.0.attn_output.weight": (WIDTH, WIDTH),
        "blk.0.ffn_gate.weight": (INNER, WIDTH),
        "blk.0.ffn_up.weight": (INNER, WIDTH),
        "blk.0.ffn_down.weight": (WIDTH, INNER),
    }
    for name, shape in shapes.items():
        writer.add_tensor(name, (numbers.standard_normal(shape) * 0.5).astype(np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


CALLING_TEMPLATE = """\
{%- if tools %}Functions:{% for tool in tools %} {{ tool | tojson }}{% endfor %}
Write a call as <function=NAME>ARGUMENTS</function>
{% endif -%}
{%- for message in messages -%}
{{ message.role }}: {% if message.content %}{{ message.content }}{% endif %}
{%- for call in message.tool_calls or [] %}<function={{ call.function.name }}>{{ call.function.arguments | tojson }}</function>{% endfor %}
{% endfor -%}
{%- if add_generation_prompt %}assistant: {% endif %}"""
"""A chat template whose calls have no opening marker, so that a forced call begins with the first token."""
