"""The F32 weights and the tokenizer of a Hugging Face folder of a Llama as a GGUF file, for llama.cpp.

    python scripts/referee/peers/gguf_model.py FOLDER FILE
"""

import json
import sys
from pathlib import Path

import gguf
import numpy
from safetensors.torch import load_file

folder, file = Path(sys.argv[1]), sys.argv[2]
config = json.loads((folder / "config.json").read_text())
tokenizer = json.loads((folder / "tokenizer.json").read_text())
heads, groups, size = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
layers, width = config["num_hidden_layers"], config["hidden_size"]

writer = gguf.GGUFWriter(file, "llama")
writer.add_name(folder.name)
writer.add_file_type(gguf.LlamaFileType.ALL_F32)
writer.add_block_count(layers)
writer.add_context_length(config["max_position_embeddings"])
writer.add_embedding_length(width)
writer.add_feed_forward_length(config["intermediate_size"])
writer.add_head_count(heads)
writer.add_head_count_kv(groups)
writer.add_key_length(size)
writer.add_value_length(size)
writer.add_rope_dimension_count(size)
writer.add_rope_freq_base(config["rope_theta"])
writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
writer.add_vocab_size(config["vocab_size"])

added = {token["id"]: token["content"] for token in tokenizer["added_tokens"]}
by_id = {number: text for text, number in tokenizer["model"]["vocab"].items()} | added
ids = range(config["vocab_size"])
writer.add_tokenizer_model("gpt2")
writer.add_tokenizer_pre("smollm")
writer.add_token_list([by_id.get(number, f"[unused{number}]") for number in ids])
writer.add_token_types(
    [
        gguf.TokenType.CONTROL if number in added else gguf.TokenType.NORMAL if number in by_id else gguf.TokenType.UNUSED
        for number in ids
    ]
)
merges = tokenizer["model"]["merges"]
writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in merges])
writer.add_bos_token_id(config["bos_token_id"])
writer.add_eos_token_id(config["eos_token_id"])
writer.add_add_bos_token(False)

NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def side_by_side(weight, count):
    """Rows that are turned together next to each other: llama.cpp's order of queries and keys."""
    return weight.reshape(count, 2, size // 2, width).swapaxes(1, 2).reshape(weight.shape)


weights = load_file(folder / "model.safetensors")


def add(name, stored, change=lambda weight: weight):
    weight = change(weights[name].float().numpy())
    writer.add_tensor(f"{stored}.weight", numpy.ascontiguousarray(weight))


add("model.embed_tokens.weight", "token_embd")
add("model.norm.weight", "output_norm")
if not config.get("tie_word_embeddings"):
    add("lm_head.weight", "output")
for layer in range(layers):
    for name, stored in NAMES.items():
        turned = {"self_attn.q_proj": heads, "self_attn.k_proj": groups}.get(name)
        change = (lambda weight, count=turned: side_by_side(weight, count)) if turned else lambda weight: weight
        add(f"model.layers.{layer}.{name}.weight", f"blk.{layer}.{stored}", change)

writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
print(json.dumps(file))
