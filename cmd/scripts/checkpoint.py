"""Writes a GGUF as a checkpoint that vLLM loads: config.json, tokenizer.json and one safetensors file of 32-bit weights.

    checkpoint.py FILE.gguf FOLDER

It knows the two kinds that the tests need: qwen3 with byte-level BPE, and gemma3 with SentencePiece.
"""
import json
import pathlib
import sys

import gguf
import numpy
from safetensors.numpy import save_file
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

CONTROL, UNKNOWN, USER = 3, 2, 4  # GGUF's token types

# How GGUF and transformers call a layer's weights.
LAYER = {
    'attn_norm': 'input_layernorm', 'attn_q': 'self_attn.q_proj', 'attn_k': 'self_attn.k_proj', 'attn_v': 'self_attn.v_proj',
    'attn_output': 'self_attn.o_proj', 'attn_q_norm': 'self_attn.q_norm', 'attn_k_norm': 'self_attn.k_norm',
    'ffn_gate': 'mlp.gate_proj', 'ffn_up': 'mlp.up_proj', 'ffn_down': 'mlp.down_proj',
}
NORMS = {
    'qwen3': {'ffn_norm': 'post_attention_layernorm'},
    'gemma3': {'ffn_norm': 'pre_feedforward_layernorm', 'post_attention_norm': 'post_attention_layernorm', 'post_ffw_norm': 'post_feedforward_layernorm'},
}
# Qwen's, of which those of other byte-level vocabularies differ in numbers alone.
WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


class File:
    def __init__(self, path):
        self.reader = gguf.GGUFReader(path)
        self.kind = self.get('general.architecture')

    def get(self, key, default=None):
        field = self.reader.get_field(key)
        return default if field is None else field.contents()

    def own(self, key, default=None):
        return self.get(f'{self.kind}.{key}', default)

    def token(self, name):
        return self.get(f'tokenizer.ggml.{name}_token_id')

    def weights(self):
        out = {}
        for t in self.reader.tensors:
            data = gguf.quants.dequantize(t.data, t.tensor_type).astype(numpy.float32)
            if self.kind == 'gemma3' and 'norm' in t.name:
                data = data - 1  # GGUF has the one in it that Gemma adds
            out[self.named(t.name)] = numpy.ascontiguousarray(data)
        return out

    def named(self, name):
        top = {'token_embd.weight': 'model.embed_tokens.weight', 'output_norm.weight': 'model.norm.weight', 'output.weight': 'lm_head.weight'}
        if name in top:
            return top[name]
        _, layer, part, _ = name.split('.')
        return f'model.layers.{layer}.{(LAYER | NORMS[self.kind])[part]}.weight'


def config(f, names):
    gemma = f.kind == 'gemma3'
    layers = f.own('block_count')
    out = {
        'architectures': ['Gemma3ForCausalLM' if gemma else 'Qwen3ForCausalLM'], 'model_type': 'gemma3_text' if gemma else 'qwen3',
        'vocab_size': len(f.get('tokenizer.ggml.tokens')), 'hidden_size': f.own('embedding_length'),
        'intermediate_size': f.own('feed_forward_length'), 'num_hidden_layers': layers,
        'num_attention_heads': f.own('attention.head_count'), 'num_key_value_heads': f.own('attention.head_count_kv'),
        'head_dim': f.own('attention.key_length'), 'max_position_embeddings': f.own('context_length'),
        'rms_norm_eps': float(f.own('attention.layer_norm_rms_epsilon')), 'rope_theta': float(f.own('rope.freq_base', 10000)),
        'tie_word_embeddings': 'lm_head.weight' not in names, 'torch_dtype': 'float32', 'attention_bias': False,
        'bos_token_id': f.token('bos'), 'eos_token_id': f.token('eos'), 'pad_token_id': f.token('padding'),
    }
    if gemma:
        out |= {
            'hidden_activation': 'gelu_pytorch_tanh', 'sliding_window': f.own('attention.sliding_window'), 'query_pre_attn_scalar': f.own('attention.key_length'),
            'rope_local_base_freq': 10000.0,
            'layer_types': ['sliding_attention' if (i + 1) % 6 else 'full_attention' for i in range(layers)],
        }
    else:
        out |= {'hidden_act': 'silu'}
    return out


def tokenizer(f):
    tokens, kinds = f.get('tokenizer.ggml.tokens'), f.get('tokenizer.ggml.token_type')
    vocab = {t: i for i, t in enumerate(tokens)}
    if f.get('tokenizer.ggml.model') == 'gpt2':
        merges = [tuple(m.split(' ')) for m in f.get('tokenizer.ggml.merges')]
        out = Tokenizer(models.BPE(vocab, merges))
        out.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(WORDS), 'isolated'), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
        out.decoder = decoders.ByteLevel()
    else:
        out = Tokenizer(models.BPE(vocab, by_score(f, vocab), unk_token=tokens[f.token('unknown')], byte_fallback=True, fuse_unk=True))
        out.normalizer = normalizers.Replace(' ', '▁')
        out.decoder = decoders.Sequence([decoders.Replace('▁', ' '), decoders.ByteFallback(), decoders.Fuse()])
    out.add_special_tokens([AddedToken(t, special=True, normalized=False) for t, k in zip(tokens, kinds) if k in (CONTROL, UNKNOWN)])
    out.add_tokens([AddedToken(t, normalized=False) for t, k in zip(tokens, kinds) if k == USER])
    return out


def by_score(f, vocab):
    """What SentencePiece merges, the best first: any two pieces that make up a third."""
    scores = f.get('tokenizer.ggml.scores')
    found = []
    for text, i in vocab.items():
        for at in range(1, len(text)):
            a, b = text[:at], text[at:]
            if a in vocab and b in vocab:
                found.append((-scores[i], i, vocab[a], vocab[b], (a, b)))
    return [pair for *_, pair in sorted(found)]


def main(source, target):
    f, target = File(source), pathlib.Path(target)
    target.mkdir(parents=True, exist_ok=True)
    weights = f.weights()
    save_file(weights, target / 'model.safetensors', {'format': 'pt'})
    tokenizer(f).save(str(target / 'tokenizer.json'))
    tokens = f.get('tokenizer.ggml.tokens')
    named = {name + '_token': tokens[f.token(key)] for name, key in (('bos', 'bos'), ('eos', 'eos'), ('pad', 'padding')) if f.token(key) is not None}
    texts = {
        'config.json': config(f, weights),
        'generation_config.json': {'eos_token_id': f.token('eos')},
        'tokenizer_config.json': named | {'tokenizer_class': 'PreTrainedTokenizerFast', 'chat_template': f.get('tokenizer.chat_template'), 'add_bos_token': f.get('tokenizer.ggml.add_bos_token', False)},
    }
    for name, text in texts.items():
        (target / name).write_text(json.dumps(text, indent=1))


main(*sys.argv[1:])
