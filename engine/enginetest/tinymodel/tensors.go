package tinymodel

import (
	"fmt"
	"math"
)

// tensors adds a model's tensors, under the names and with the sizes that llama.cpp expects of its
// architecture.
func tensors(f *file, k Kind, s Shape) {
	spread := 0.5
	if k.isGemma() {
		// Gemma multiplies embeddings by the root of their length: more, and each token
		// would repeat itself
		spread = 0.2
	}
	f.matrix("token_embd.weight", spread, s.Embedding, s.Vocab)
	if k == Embedding {
		f.matrix("position_embd.weight", 0.1, s.Embedding, s.Context)
		f.matrix("token_types.weight", 0.1, s.Embedding, 2)
		norm(f, "token_embd_norm", s.Embedding)
		f.vector("token_embd_norm.bias", 0, s.Embedding)
	} else {
		norm(f, "output_norm", s.Embedding)
	}
	for i := range s.Layers {
		block := layer{f, fmt.Sprintf("blk.%d.", i)}
		switch {
		case k == Embedding:
			block.bert(s)
			continue
		case k == Hybrid && !isAttention(i):
			block.mamba(s)
		default:
			block.attention(k, s)
		}
		block.feedForward(k, s)
	}
}

func (k Kind) isGemma() bool { return k == SlidingWindow || k == SoftCapped }

type layer struct {
	f    *file
	name string
}

// linear adds a matrix whose outputs have the scale of its inputs.
func (l layer) linear(name string, in, out int) {
	l.f.matrix(l.name+name+".weight", 1/math.Sqrt(float64(in)), in, out)
}

func (l layer) norm(name string, n int) { norm(l.f, l.name+name, n) }

func norm(f *file, name string, n int) { f.vector(name+".weight", 1, n) }

func (l layer) attention(k Kind, s Shape) {
	l.norm("attn_norm", s.Embedding)
	l.linear("attn_q", s.Embedding, s.Heads*s.HeadSize)
	l.linear("attn_k", s.Embedding, s.KVHeads*s.HeadSize)
	l.linear("attn_v", s.Embedding, s.KVHeads*s.HeadSize)
	l.linear("attn_output", s.Heads*s.HeadSize, s.Embedding)
	if k != Hybrid && k != SoftCapped {
		l.norm("attn_q_norm", s.HeadSize)
		l.norm("attn_k_norm", s.HeadSize)
	}
	if k.isGemma() {
		l.norm("post_attention_norm", s.Embedding)
	}
}

func (l layer) feedForward(k Kind, s Shape) {
	l.norm("ffn_norm", s.Embedding)
	l.linear("ffn_gate", s.Embedding, s.FeedForward)
	l.linear("ffn_up", s.Embedding, s.FeedForward)
	l.linear("ffn_down", s.FeedForward, s.Embedding)
	if k.isGemma() {
		l.norm("post_ffw_norm", s.Embedding)
	}
}

func (l layer) mamba(s Shape) {
	inner := 2 * s.Embedding
	channels := inner + 2*stateSize
	l.norm("attn_norm", s.Embedding)
	l.linear("ssm_in", s.Embedding, inner+channels+s.Heads)
	l.f.plain(l.name+"ssm_conv1d.weight", 0.5, convKernel, channels)
	l.f.vector(l.name+"ssm_conv1d.bias", 0, channels)
	l.f.vector(l.name+"ssm_dt.bias", 0.1, s.Heads)
	l.f.constant(l.name+"ssm_a", -1, 1, s.Heads)
	l.f.constant(l.name+"ssm_d", 1, 1, s.Heads)
	l.f.constant(l.name+"ssm_norm.weight", 1, inner, 1)
	l.linear("ssm_out", inner, s.Embedding)
}

func (l layer) bert(s Shape) {
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		l.linear(name, s.Embedding, s.Embedding)
		l.f.vector(l.name+name+".bias", 0, s.Embedding)
	}
	l.linear("ffn_up", s.Embedding, s.FeedForward)
	l.f.vector(l.name+"ffn_up.bias", 0, s.FeedForward)
	l.linear("ffn_down", s.FeedForward, s.Embedding)
	l.f.vector(l.name+"ffn_down.bias", 0, s.Embedding)
	for _, name := range []string{"attn_output_norm", "layer_output_norm"} {
		l.norm(name, s.Embedding)
		l.f.vector(l.name+name+".bias", 0, s.Embedding)
	}
}
