//go:build cgo

package realtest

import (
	"flag"
	"os/exec"
	"path/filepath"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/remote"
	"tenon/engine/worker"
	"tenon/engine/worker/native"
)

var vllmPython = flag.String("remote.vllm", "", "a python that has vLLM for the CPU")

// A real vLLM passes the engine suite as far as its API claims, with the vocabulary here and
// without.
func TestVLLM_passesTheSuite(t *testing.T) {
	path := tiny(t)
	at := startVLLM(t, path)
	for name, local := range map[string]bool{"vocabulary here": true, "vocabulary there": false} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, enginetest.Subject{Open: func(t *testing.T) engine.Engine {
				e := connect(t, at, path, local)
				if c := e.Model().Can; c.Mask != engine.PrintedMask || c.IDs != local || c.Logprobs {
					t.Errorf("%+v", c)
				}
				return fewer{e}
			}})
		})
	}
}

// A vLLM that parses thinking leaves grammars out without a word, unless it is told to keep to
// them in thinking as well. The probe finds out. llguidance reads what is printed for XGrammar.
func TestVLLM_whetherGrammarsAreKept(t *testing.T) {
	path := tiny(t)
	for name, c := range map[string]struct {
		args []string
		want engine.Mask
	}{
		"it parses thinking":           {[]string{"--reasoning-parser", "qwen3"}, engine.NoMask},
		"and masks it":                 {[]string{"--reasoning-parser", "qwen3", "--structured-outputs-config", `{"enable_in_reasoning":true}`}, engine.PrintedMask},
		"llguidance reads its grammar": {[]string{"--structured-outputs-config", `{"backend":"guidance"}`}, engine.PrintedMask},
	} {
		t.Run(name, func(t *testing.T) {
			e := connect(t, startVLLM(t, path, c.args...), path, true)
			t.Cleanup(func() { _ = e.Close() })
			if got := e.Model().Can; got.Mask != c.want || !got.IDs {
				t.Errorf("%+v", got)
			}
		})
	}
}

// tiny is a model with heads of a size that vLLM knows on the CPU.
func tiny(t *testing.T) string {
	return tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 2, Shape: tinymodel.Shape{HeadSize: 32}})
}

func connect(t *testing.T, at, path string, local bool) engine.Engine {
	t.Helper()
	o := remote.Options{Name: "tiny", URLs: []string{at}}
	if local {
		v, err := native.Load(t.Context(), worker.Options{Model: path, VocabOnly: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Vocabulary = v
	}
	e, err := remote.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// startVLLM serves a GGUF, which is written as a checkpoint for it, until the test ends.
func startVLLM(t *testing.T, model string, args ...string) string {
	t.Helper()
	if *vllmPython == "" {
		t.Skip("no vLLM is named: make test-vllm")
	}
	folder := filepath.Join(t.TempDir(), "checkpoint")
	script, err := filepath.Abs("../../../cmd/scripts/checkpoint.py")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(*vllmPython, script, model, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	port := freePort(t)
	cmd := exec.Command(*vllmPython, append([]string{
		"-m", "vllm.entrypoints.openai.api_server", "--model", folder, "--served-model-name", "m", "--host", "127.0.0.1", "--port", port,
		"--enforce-eager", "--max-model-len", "2048", "--dtype", "float32", "--max-num-seqs", "8",
	}, args...)...)
	cmd.Dir = folder // where no folder is called vllm
	cmd.Env = append(cmd.Environ(), "OMP_NUM_THREADS=1", "VLLM_CPU_OMP_THREADS_BIND=nobind", "VLLM_CPU_KVCACHE_SPACE=1",
		"VLLM_NO_USAGE_STATS=1", "HF_HUB_OFFLINE=1")
	return serve(t, cmd, "http://127.0.0.1:"+port)
}
