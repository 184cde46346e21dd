package placement

import (
	"fmt"
	"slices"

	parser "github.com/gpustack/gguf-parser-go"
)

// Estimator says what a model needs. Opening one reads the file's header once; asking it is
// arithmetic.
type Estimator struct {
	KeyType, ValueType string // of the KV cache: q8_0, q4_0, else f16
	// that the machine's own memory does not hold; more than the model has: all
	GPULayers int

	path string
	file *parser.GGUFFile
}

// NewEstimator opens a model's file; of a split one the first part.
func NewEstimator(path string) (*Estimator, error) {
	f, err := guard(path, func() (*parser.GGUFFile, error) {
		return parser.ParseGGUFFile(path, parser.SkipLargeMetadata(), parser.UseMMap())
	})
	if err != nil {
		return nil, err
	}
	return &Estimator{path: path, file: f}, nil
}

// cacheTypes are the KV cache's types in the library's terms.
var cacheTypes = map[string]parser.GGMLType{"q8_0": parser.GGMLTypeQ8_0, "q4_0": parser.GGMLTypeQ4_0}

func cacheType(name string) parser.GGMLType {
	if t, ok := cacheTypes[name]; ok {
		return t
	}
	return parser.GGMLTypeF16
}

// Need is for a context of so many tokens, without what the GPU layers take of the GPU's memory.
// Sliding windows are counted in full, as the worker keeps them: else their cells could not be
// shared.
func (e *Estimator) Need(context int) (Need, error) {
	return guard(e.path, func() (Need, error) {
		run := e.file.EstimateLLaMACppRun(parser.WithLLaMACppContextSize(int32(context)),
			parser.WithLLaMACppOffloadLayers(uint64(max(e.GPULayers, 0))), parser.WithLLaMACppFullSizeSWACache(),
			parser.WithLLaMACppCacheKeyType(cacheType(e.KeyType)), parser.WithLLaMACppCacheValueType(cacheType(e.ValueType)))
		cpu := run.Devices[0]
		need := Need{
			Weights: int64(cpu.Weight.Sum()),
			Cache:   int64(cpu.KVCache.Sum()),
			Compute: workerOwn + perToken*int64(e.file.Tokenizer().TokensLength) +
				int64(cpu.Computation.Sum()-cpu.Computation.Output+cpu.Computation.Output/outputShare),
		}
		if e.tied() { // the library counts it twice
			need.Weights -= int64(cpu.Weight.Input)
		}
		for _, gpu := range run.Devices[1:] {
			if e.GPULayers <= 0 {
				break // the library thinks of a GPU that does the work alone
			}
			need.VRAM += int64(gpu.Weight.Sum() + gpu.KVCache.Sum() + gpu.Computation.Sum())
		}
		return need, nil
	})
}

// What a worker takes beside its model, in bytes, as measured with vocabularies of 300, 152,000
// and 262,000 tokens: the program with its libraries, and what it keeps of each token.
const (
	workerOwn = 77 << 20
	perToken  = 440
)

// tied tells whether the output reads the input's table in place. A copy is made of types that the
// CPU's kernels want in another order.
func (e *Estimator) tied() bool {
	if _, own := e.file.TensorInfos.Get("output.weight"); own {
		return false
	}
	reordered := []parser.GGMLType{parser.GGMLTypeQ4_0, parser.GGMLTypeQ4_K, parser.GGMLTypeQ2_K, parser.GGMLTypeIQ4_NL}
	table, ok := e.file.TensorInfos.Get("token_embd.weight")
	return ok && !slices.Contains(reordered, table.Type)
}

// outputShare is the part of the buffer for logits that is ever written: it has room for every
// token of a batch, and the worker asks for those of its slots' last tokens alone.
const outputShare = 64

// guard turns a panic of the library, which indexes tables by what a file says, into an error.
func guard[T any](path string, f func() (T, error)) (out T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			err = fmt.Errorf("estimate the memory of %s: %w", path, err)
		}
	}()
	return f()
}
