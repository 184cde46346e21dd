package tinymodel

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Kind is how a model remembers.
type Kind string

// The kinds of models.
const (
	// qwen3: byte-level BPE, ChatML control tokens
	FullAttention Kind = "full"
	// gemma3: SentencePiece with byte fallback, BOS; every sixth layer sees all
	SlidingWindow Kind = "sliding"
	// gemma2: as sliding, but attention scores are capped; every second layer sees all
	SoftCapped Kind = "capped"
	// granitehybrid: Mamba-2 layers and an attention layer, byte-level BPE
	Hybrid Kind = "hybrid"
	// bert: WordPiece, mean pooling
	Embedding Kind = "embedding"
)

// Window is the sliding window of a tiny SlidingWindow or SoftCapped model, in tokens.
const Window = 32

// Options say what to write. Only Kind must be set.
type Options struct {
	Kind Kind
	Seed uint64
	// written in the place of the kind's own; for models that no engine knows
	Architecture string
	// the chat template; none if empty
	Template string
	// further keys: string, bool, uint32, int32, float32 or []string, []int32, []float32
	Metadata map[string]any
	Shape    Shape
	Weights  Weights // of matrices
	Widened  bool    // the same weights, written as F32
}

// Weights are how a matrix's are written.
type Weights uint32

// The numbers are ggml's.
const (
	F32  Weights = 0
	Q5_0 Weights = 6
	Q8_0 Weights = 8
	Q4_K Weights = 12
	Q6_K Weights = 14
)

// Shape is a model's size. Zero fields take the tiny size.
type Shape struct {
	Context, Layers, Embedding, Heads, KVHeads, HeadSize, FeedForward int
	// padded with unused tokens up to this; ignored if smaller
	Vocab int
}

// File writes a model to the test's temporary folder and returns its path.
func File(t testing.TB, o Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), string(o.Kind)+".gguf")
	if err := WriteFile(path, o); err != nil {
		t.Fatal(err)
	}
	return path
}

// WriteFile writes a model to a file.
func WriteFile(path string, o Options) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = Write(w, o)
	if err == nil {
		err = w.Flush()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Write writes a model.
func Write(w io.Writer, o Options) error {
	s, v := o.Shape, vocabulary{}
	switch o.Kind {
	case FullAttention, Hybrid:
		v = byteLevelVocab()
	case SlidingWindow, SoftCapped:
		v = sentencePieceVocab()
	case Embedding:
		v = wordPieceVocab()
	default:
		return fmt.Errorf("write model: unknown kind %q", o.Kind)
	}
	s = s.complete(o.Kind)
	v.pad(s.Vocab)
	s.Vocab = len(v.tokens)
	f := file{seed: o.Seed, weights: o.Weights, widened: o.Widened}
	describe(&f, o, s)
	v.write(&f)
	for _, key := range sortedKeys(o.Metadata) {
		f.set(key, o.Metadata[key])
	}
	tensors(&f, o.Kind, s)
	return f.write(w)
}

func (s Shape) complete(k Kind) Shape {
	set := func(to *int, v int) {
		if *to == 0 {
			*to = v
		}
	}
	layers := map[Kind]int{FullAttention: 2, SlidingWindow: 6, SoftCapped: 2, Hybrid: 4, Embedding: 2}
	set(&s.Context, 4096)
	set(&s.Layers, layers[k])
	set(&s.Embedding, 64)
	set(&s.Heads, 4)
	set(&s.KVHeads, 2)
	set(&s.HeadSize, s.Embedding/s.Heads)
	set(&s.FeedForward, 2*s.Embedding)
	if k == Embedding {
		s.Context = min(s.Context, 512)
		s.KVHeads = s.Heads
	}
	return s
}

var architectures = map[Kind]string{
	FullAttention: "qwen3", SlidingWindow: "gemma3", SoftCapped: "gemma2", Hybrid: "granitehybrid", Embedding: "bert",
}

func describe(f *file, o Options, s Shape) {
	arch := architectures[o.Kind]
	name := arch
	if o.Architecture != "" {
		arch = o.Architecture
	}
	f.set("general.architecture", arch)
	f.set("general.name", "tenon tiny "+string(o.Kind))
	f.set("general.type", "model")
	if o.Template != "" {
		f.set("tokenizer.chat_template", o.Template)
	}
	key := func(k string, v any) { f.set(name+"."+k, v) }
	key("context_length", uint32(s.Context))
	key("embedding_length", uint32(s.Embedding))
	key("block_count", uint32(s.Layers))
	key("feed_forward_length", uint32(s.FeedForward))
	key("attention.head_count", uint32(s.Heads))
	if o.Kind != Hybrid {
		key("attention.head_count_kv", uint32(s.KVHeads))
	}
	switch o.Kind {
	case Embedding:
		key("attention.layer_norm_epsilon", float32(1e-6))
		key("attention.causal", false)
		key("pooling_type", uint32(1))
		return
	case SlidingWindow:
		key("attention.sliding_window", uint32(Window))
	case SoftCapped:
		key("attention.sliding_window", uint32(Window))
		key("attn_logit_softcapping", float32(2)) // of scores that go up to some 3
	case Hybrid:
		describeHybrid(key, s)
	}
	key("attention.layer_norm_rms_epsilon", float32(1e-6))
	key("attention.key_length", uint32(s.HeadSize))
	key("attention.value_length", uint32(s.HeadSize))
	key("rope.dimension_count", uint32(s.HeadSize))
	key("rope.freq_base", float32(10000))
}

func describeHybrid(key func(string, any), s Shape) {
	kv := make([]int32, s.Layers) // none in the layers that keep a running state
	for i := range kv {
		if isAttention(i) {
			kv[i] = int32(s.KVHeads)
		}
	}
	key("attention.head_count_kv", kv)
	key("ssm.conv_kernel", uint32(convKernel))
	key("ssm.inner_size", uint32(2*s.Embedding))
	key("ssm.state_size", uint32(stateSize))
	key("ssm.time_step_rank", uint32(s.Heads))
	key("ssm.group_count", uint32(1))
}

const (
	convKernel = 4
	stateSize  = 16
)

// isAttention tells which layers of a hybrid attend.
func isAttention(layer int) bool { return layer%4 == 2 }

// Shape600M is the shape of Qwen3 0.6B, for benchmarks: 640 MB when quantized.
var Shape600M = Shape{
	Context: 40960, Layers: 28, Embedding: 1024, Heads: 16, KVHeads: 8, HeadSize: 128, FeedForward: 3072, Vocab: 151936,
}
