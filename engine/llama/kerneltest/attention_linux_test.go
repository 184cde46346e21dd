//go:build cgo

package kerneltest

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// shape is what an attention is asked for.
type shape struct {
	tokens, cells, heads, shared, key, value, batches int
	keys, values                                      Type
	softcap, bias                                     float32
	pad                                               int // bytes between rows
	// rows of a cell's heads lie side by side, as in the memory of sequences
	interleaved               bool
	sinks, unmasked, headMask bool
	hidden                    func(cell, token int) bool
	// cells that hold no numbers
	odd func(cell int) bool
}

// strides are those of rows of n numbers, of heads and of cells or tokens.
func (s shape) strides(of Type, n, rows, heads int) [4]int {
	row := Tensor{Type: of, Size: [4]int{n, 1, 1, 1}}.New(func(int, int, int, int) float32 { return 0 })
	defer row.Free()
	length := row.Strides[1] + s.pad
	if s.interleaved {
		return [4]int{0, length * heads, length, length * heads * rows}
	}
	return [4]int{0, length, length * rows, length * rows * heads}
}

// node makes one with random numbers.
func (s shape) node(t testing.TB) Attention {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	number := func(int, int, int, int) float32 { return float32(r.NormFloat64()) }
	cell := func(i0, i1, i2, i3 int) float32 {
		if s.odd != nil && s.odd(i1) {
			return float32(math.NaN())
		}
		return number(i0, i1, i2, i3)
	}
	batches, shared := max(s.batches, 1), s.shared
	a := Attention{
		Q:     Tensor{Type: F32, Size: [4]int{s.key, s.tokens, s.heads, batches}, Strides: s.strides(F32, s.key, s.tokens, s.heads)}.New(number),
		K:     Tensor{Type: s.keys, Size: [4]int{s.key, s.cells, shared, batches}, Strides: s.strides(s.keys, s.key, s.cells, shared)}.New(cell),
		V:     Tensor{Type: s.values, Size: [4]int{s.value, s.cells, shared, batches}, Strides: s.strides(s.values, s.value, s.cells, shared)}.New(cell),
		Scale: float32(1 / math.Sqrt(float64(s.key))), Softcap: s.softcap, Bias: s.bias,
	}
	if !s.unmasked {
		// longer and more than is looked at
		size := [4]int{s.cells + s.pad, s.tokens + s.pad, 1, batches}
		if s.headMask {
			size[2] = s.heads
		}
		a.Mask = Tensor{Type: F16, Size: size}.New(func(cell, token, head, _ int) float32 {
			switch {
			case s.hidden != nil && s.hidden(cell, token):
				return float32(math.Inf(-1))
			case s.headMask:
				return float32(head)
			case s.bias != 0:
				return float32(cell - s.cells)
			}
			return float32(cell%3) / -2
		})
		t.Cleanup(a.Mask.Free)
	}
	if s.sinks {
		a.Sinks = Tensor{Type: F32, Size: [4]int{s.heads, 1, 1, 1}}.New(number)
		t.Cleanup(a.Sinks.Free)
	}
	t.Cleanup(a.Q.Free)
	t.Cleanup(a.K.Free)
	t.Cleanup(a.V.Free)
	return a
}

// causal is the mask under which a token sees itself and what came before. The last token sees
// all.
func causal(tokens, cells int) func(cell, token int) bool {
	return func(cell, token int) bool { return cell > cells-tokens+token }
}

// ofItsOwn has each token see a stretch of cells that no other one sees, as streams do.
func ofItsOwn(s *shape) {
	s.cells = 64 * s.tokens
	s.hidden = func(cell, token int) bool { return cell/64 != token }
}

// BenchmarkAttention_streams is a step of 64 streams, in Gemma 3 270M's shape.
func BenchmarkAttention_streams(b *testing.B) {
	s := shape{tokens: 64}
	ofItsOwn(&s)
	benchmarkAttention(b, s)
}

// BenchmarkAttention_deep is a part of a prompt behind 8,000 tokens, in the same shape.
func BenchmarkAttention_deep(b *testing.B) {
	s := shape{tokens: 256, cells: 8448}
	s.hidden = causal(s.tokens, s.cells)
	benchmarkAttention(b, s)
}

// benchmarkAttention reports the least milliseconds of CPU time, and ggml's by ours as "ratio".
func benchmarkAttention(b *testing.B, s shape) {
	libraries := Libraries()
	if len(libraries) == 0 {
		b.Skip("the linked ggml has no kernels of tenon's")
	}
	Use(libraries[len(libraries)-1])
	s.heads, s.shared, s.key, s.value, s.keys, s.values = 4, 1, 256, 256, F16, F16
	a := s.node(b)
	a.Threads = 1
	ours, theirs := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		begin := cpuTime()
		a.Compute(false)
		middle := cpuTime()
		a.Compute(true)
		ours, theirs = min(ours, middle-begin), min(theirs, cpuTime()-middle)
	}
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "ratio")
	b.ReportMetric(float64(ours.Microseconds())/1000, "least-cpu-ms")
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // of this process it cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// inEachLibrary runs a test with each of ggml's libraries that this machine's CPU can use.
func inEachLibrary(t *testing.T, test func(*testing.T)) {
	t.Helper()
	libraries := Libraries()
	if len(libraries) == 0 {
		t.Skip("the linked ggml has no kernels of tenon's: make libllama puts them in")
	}
	for _, library := range libraries {
		t.Run(filepath.Base(library), func(t *testing.T) {
			Use(library)
			test(t)
		})
	}
}

// compare holds what is computed against ggml's: no number stands for no number, all else differs
// by at most so much.
func compare(t *testing.T, a Attention, most float64) {
	t.Helper()
	got, want := a.Compute(false), a.Compute(true)
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if math.IsNaN(g) != math.IsNaN(w) || math.Abs(g-w) > most {
			t.Fatalf("number %d of %d is %g, ggml's is %g", i, len(want), g, w)
		}
	}
}

// What is computed here gives what ggml's own pass does, wherever the rows of its tensors lie and
// whatever their masks hide. ggml sums up values in halves, and takes queries in the keys' type.
func TestAttention_asGGMLs(t *testing.T) { inEachLibrary(t, attentionAsGGMLs) }

func attentionAsGGMLs(t *testing.T) {
	usual := shape{cells: 130, heads: 6, shared: 2, key: 64, value: 64, keys: F16, values: F16}
	tests := map[string]func(*shape){
		"rows side by side":                func(*shape) {},
		"heads of a cell side by side":     func(s *shape) { s.interleaved = true },
		"rows apart":                       func(s *shape) { s.pad = 64 },
		"rows apart, heads side by side":   func(s *shape) { s.pad, s.interleaved = 64, true },
		"rows at odd places":               func(s *shape) { s.pad, s.interleaved = 4, true },
		"one cell":                         func(s *shape) { s.cells = 1 },
		"less than a stretch":              func(s *shape) { s.cells = 63 },
		"a stretch":                        func(s *shape) { s.cells = 64 },
		"a stretch and one":                func(s *shape) { s.cells = 65 },
		"one head":                         func(s *shape) { s.heads, s.shared = 1, 1 },
		"nine heads share":                 func(s *shape) { s.heads, s.shared = 9, 1 },
		"short values":                     func(s *shape) { s.value = 16 },
		"long keys":                        func(s *shape) { s.key, s.value = 576, 512 },
		"several batches":                  func(s *shape) { s.batches = 3 },
		"several batches, rows apart":      func(s *shape) { s.batches, s.pad, s.interleaved = 2, 32, true },
		"floats":                           func(s *shape) { s.keys, s.values = F32, F32 },
		"quantized":                        func(s *shape) { s.keys, s.values = Q8_0, Q8_0 },
		"quantized, heads side by side":    func(s *shape) { s.keys, s.values, s.interleaved = Q8_0, Q8_0, true },
		"wide halves":                      func(s *shape) { s.keys, s.values = BF16, BF16 },
		"capped":                           func(s *shape) { s.softcap = 2 },
		"sinks":                            func(s *shape) { s.sinks = true },
		"no mask":                          func(s *shape) { s.unmasked = true },
		"later cells hidden":               func(s *shape) { s.hidden = causal(s.tokens, s.cells) },
		"all hidden":                       func(s *shape) { s.hidden = func(int, int) bool { return true } },
		"all hidden, sinks":                func(s *shape) { s.hidden, s.sinks = func(int, int) bool { return true }, true },
		"all hidden, capped":               func(s *shape) { s.hidden, s.softcap = func(int, int) bool { return true }, 2 },
		"every third token sees nothing":   func(s *shape) { s.hidden = func(_, token int) bool { return token%3 == 0 } },
		"only the last cell is seen":       func(s *shape) { s.hidden = func(cell, _ int) bool { return cell != s.cells-1 } },
		"only the first cell is seen":      func(s *shape) { s.hidden = func(cell, _ int) bool { return cell != 0 } },
		"a window":                         func(s *shape) { s.hidden = func(cell, token int) bool { return cell < token || cell > token+5 } },
		"each token sees cells of its own": ofItsOwn,
		"half of the tokens see cells of their own": func(s *shape) {
			ofItsOwn(s)
			own := s.hidden
			s.hidden = func(cell, token int) bool { return token < s.tokens/2 && own(cell, token) }
		},
		"hidden cells hold no numbers": func(s *shape) {
			s.odd = func(c int) bool { return c%7 == 3 }
			s.hidden = func(c, _ int) bool { return c%7 == 3 }
		},
		"no numbers, seen by one token": func(s *shape) {
			s.odd = func(c int) bool { return c == 3 }
			s.hidden = func(c, i int) bool { return c == 3 && i != 2 }
		},
		"no numbers, and nothing is seen":  func(s *shape) { s.odd = func(int) bool { return true }; s.hidden = func(int, int) bool { return true } },
		"no numbers, no mask":              func(s *shape) { s.odd, s.unmasked = func(c int) bool { return c == 3 }, true },
		"head size without a whole vector": func(s *shape) { s.key, s.value = 36, 36 },
		"longer heads than there is room":  func(s *shape) { s.key, s.value = 1040, 1040 },
		"slopes":                           func(s *shape) { s.bias = 8 },
		"a mask for each head":             func(s *shape) { s.headMask = true },
	}
	for name, change := range tests {
		for _, tokens := range []int{1, 3, 15, 16, 33, 70} {
			s := usual
			s.tokens = tokens
			change(&s)
			most := 1e-2
			if s.keys == Q8_0 || s.keys == BF16 {
				most = 5e-2
			}
			t.Run(name, func(t *testing.T) { compare(t, s.node(t), most) })
		}
	}
}

// What a few tokens get is, to the last bit, what each gets alone: a draft that is evaluated in
// one step changes no answer.
func TestAttention_ofATokenIsTheSameBesideOthers(t *testing.T) {
	seen := map[string]func(s *shape){
		"what came before": func(s *shape) { s.hidden = causal(s.tokens, s.cells) },
		"a window":         func(s *shape) { s.hidden = func(cell, token int) bool { return cell < 60+token || cell > 100+token } },
		"all":              func(*shape) {},
		"cells of its own": ofItsOwn,
	}
	inEachLibrary(t, func(t *testing.T) {
		for name, hide := range seen {
			for _, tokens := range []int{2, 5, 15} {
				s := shape{tokens: tokens, cells: 150, heads: 6, shared: 2, key: 64, value: 80, keys: F16, values: F16}
				hide(&s)
				a := s.node(t)
				together := a.Compute(false)
				for i := range tokens {
					alone := a.token(i).Compute(false)
					if part := together[i*len(alone):][:len(alone)]; !slices.Equal(part, alone) {
						t.Errorf("%s: token %d of %d is another alone", name, i, tokens)
					}
				}
			}
		}
	})
}

// token is the part of an attention that one token asks for.
func (a Attention) token(i int) Attention {
	of := func(t Tensor) Tensor {
		t.Size[1], t.data = 1, unsafe.Add(t.data, i*t.Strides[1])
		return t
	}
	a.Q, a.Mask = of(a.Q), of(a.Mask)
	return a
}

// However many threads take part, each head of each token is computed once.
func TestAttention_dividedAmongThreads(t *testing.T) {
	inEachLibrary(t, func(t *testing.T) {
		for _, tokens := range []int{1, 3, 70} {
			a := shape{tokens: tokens, cells: 70, heads: 6, shared: 2, key: 32, value: 32, keys: F16, values: F16}.node(t)
			a.Threads = 3 // waiting threads spin: a busy machine takes its time
			compare(t, a, 1e-2)
		}
	})
}

// A row that sees nothing is 0, not no number.
func TestAttention_whoSeesNothingGetsZeros(t *testing.T) {
	hidden := func(int, int) bool { return true }
	inEachLibrary(t, func(t *testing.T) {
		for _, tokens := range []int{1, 40} {
			s := shape{tokens: tokens, cells: 100, heads: 4, shared: 2, key: 32, value: 32, keys: F16, values: F16, hidden: hidden}
			for i, x := range s.node(t).Compute(false) {
				if x != 0 {
					t.Fatalf("%d tokens: number %d is %g", tokens, i, x)
				}
			}
		}
	})
}

// What breaks ggml's conditions gets to ggml, whose asserts end the process with a line that names
// the condition: nothing is read where no row is.
func TestAttention_ggmlsConditionsHold(t *testing.T) {
	breaks := map[string]func(*Attention){
		"nbk0 ==":    func(a *Attention) { a.K.Strides[0], a.K.Strides[1] = a.K.Strides[1], 2 },
		"nbv0 ==":    func(a *Attention) { a.V.Strides[0], a.V.Strides[1] = a.V.Strides[1], 2 },
		"nbq0 ==":    func(a *Attention) { a.Q.Strides[0], a.Q.Strides[1] = a.Q.Strides[1], 4 },
		"neq0 == DK": func(a *Attention) { a.Q.Size[0] = 16 },
	}
	const variable = "KERNELTEST_BREAKS"
	if broken := os.Getenv(variable); broken != "" {
		Use(Libraries()[0])
		a := shape{tokens: 20, cells: 32, heads: 2, shared: 1, key: 32, value: 32, keys: F16, values: F16}.node(t)
		breaks[broken](&a)
		a.Compute(false)
		return
	}
	if len(Libraries()) == 0 {
		t.Skip("the linked ggml has no kernels of tenon's")
	}
	for condition := range breaks {
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$") //nolint:gosec // this program
		child.Env = append(os.Environ(), variable+"="+condition, "GGML_NO_BACKTRACE=1")
		out, err := child.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "GGML_ASSERT("+condition) {
			t.Errorf("%s: %v\n%.500s", condition, err, out)
		}
	}
}
