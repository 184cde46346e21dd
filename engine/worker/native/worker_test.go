//go:build cgo

package native

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/worker"
)

func TestWorker_runsRealModelsInAChild(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		var reached float64
		w := start(t, worker.Options{Name: "tiny", Model: path, Context: 512, LoadMode: "none", Progress: func(p float64) { reached = p }})
		in := load(t, worker.Options{Model: path, Context: 512, LoadMode: "mmap"})
		turn := greedy("Once upon a time", 30)
		turn.Grammar = `root ::= ([a-z]+ " "){5,8} "."`
		if got, want := say(t, w, turn), say(t, in, turn); got.text != want.text {
			t.Errorf("in a child %q, in-process %q", got.text, want.text)
		}
		if w.Model().Rewind != in.Model().Rewind || w.Model().Vocab.Size != in.Model().Vocab.Size {
			t.Errorf("model: %+v", w.Model())
		}
		stats, err := w.Stats(t.Context())
		if err != nil || stats.Evaluated == 0 || reached == 0 || stats.Confinement == nil {
			t.Errorf("%+v %v, loading reached %v", stats, err, reached)
		}
	})
}

// Whether there is a huge page to be had depends on the machine; that they are asked for does not.
func TestWorker_weightsAreReadIntoHugePages(t *testing.T) {
	const setting = "/sys/kernel/mm/transparent_hugepage/enabled"
	if b, err := os.ReadFile(setting); err != nil || !strings.Contains(string(b), "[madvise]") {
		t.Skipf("%s is %q, %v: here nobody asks for huge pages", setting, b, err)
	}
	t.Setenv("GLIBC_TUNABLES", "glibc.malloc.check=0")
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	w := start(t, worker.Options{Name: "tiny", Model: path, Context: 512, Roomy: true})
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", w.PID()))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(maps, []byte(path)) {
		t.Errorf("%s is mapped", path)
	}
	if !regexp.MustCompile(`(?m)^VmFlags:.* hg\b`).Match(maps) {
		t.Error("no memory is advised to be huge pages")
	}
}

// Issue 3: 200 concurrent requests on 2 slots: all answered or refused, none lost; and a kill -9
// loses none silently.
func TestWorker_crowdedAndKilled(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	w := start(t, worker.Options{Name: "tiny", Model: path, Context: 512, Slots: 2, Queue: 100})
	count := func(kill bool) map[string]int {
		outcomes := make(chan string)
		for i := range 200 {
			go func() { outcomes <- outcome(t, w, greedy(fmt.Sprint("turn ", i), 8)) }()
		}
		counts := map[string]int{}
		for n := range 200 {
			if n == 120 && kill {
				_ = syscall.Kill(w.PID(), syscall.SIGKILL)
			}
			counts[<-outcomes]++
		}
		return counts
	}
	if c := count(false); c["answered"] < 102 || c["answered"]+c["busy"] != 200 {
		t.Errorf("%v", c)
	}
	if c := count(true); c["answered"] == 0 || c["answered"]+c["busy"]+c["lost"] != 200 {
		t.Errorf("killed: %v", c)
	}
	if got := outcome(t, w, greedy("again", 8)); got != "answered" {
		t.Errorf("afterwards: %s", got)
	}
}

func outcome(t *testing.T, w *worker.Worker, turn engine.Turn) string {
	s, err := w.Open(t.Context(), turn)
	for err == nil {
		var u engine.Update
		if u, err = s.Next(t.Context()); err == nil && u.Finish != nil {
			return "answered"
		}
	}
	switch {
	case errors.Is(err, engine.ErrBusy):
		return "busy"
	case errors.Is(err, engine.ErrWorkerLost):
		return "lost"
	}
	return err.Error()
}

func TestFlashAttention_isMeasuredOnce(t *testing.T) {
	path, dir := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}), t.TempDir()
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	for range 2 {
		w, err := worker.Start(t.Context(), worker.Options{Model: path, Context: 256, StateDir: dir, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Close() // its log has been read to the end then
	}
	if strings.Contains(logged.String(), "flash attention was not measured") {
		t.Skip("others use the processors, and then nothing is measured")
	}
	if n := strings.Count(logged.String(), "flash attention measured"); n != 1 {
		t.Errorf("measured %d times:\n%s", n, logged.String())
	}
}

func TestWorker_badFilesAreErrors(t *testing.T) {
	good, err := os.ReadFile(tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"empty": nil, "not a gguf": []byte("MZ, and then something else altogether"),
		"cut in the header": good[:64], "cut in the weights": good[:len(good)*3/4],
	} {
		path := filepath.Join(t.TempDir(), "bad.gguf")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := worker.Start(t.Context(), worker.Options{Name: "bad", Model: path, Log: slog.New(slog.DiscardHandler)})
		if err == nil || errors.Is(err, engine.ErrWorkerLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	unknown := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention, Architecture: "nobody-knows"})
	_, err = worker.Start(t.Context(), worker.Options{Name: "new", Model: unknown, Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), "nobody-knows") {
		t.Errorf("unknown architecture: %v", err)
	}
}

func start(t *testing.T, o worker.Options) *worker.Worker {
	t.Helper()
	o.FlashAttention, o.Threads, o.Log = worker.Off, 1, slog.New(slog.DiscardHandler)
	w, err := worker.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}
