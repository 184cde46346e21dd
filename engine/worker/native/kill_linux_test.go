//go:build cgo

package native

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/worker"
)

// Workers are killed at any moment, KILLS of them (20 if it is not set): this process lives, each
// turn is answered as if nothing had happened or says that its worker was lost, and what came
// before that is the answer's beginning.
func TestWorker_killedAtRandomMoments(t *testing.T) {
	kills, err := strconv.Atoi(cmp.Or(os.Getenv("KILLS"), "20"))
	if err != nil {
		t.Fatal(err)
	}
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	w := start(t, worker.Options{Name: "tiny", Model: path, Context: 512})
	want := map[int]string{}
	random := rand.New(rand.NewPCG(19, uint64(kills)))
	counts := map[string]int{}
	for n := range kills {
		prompt := n % 5
		text, err := killed(t, w, prompt, n, -1)
		var lost *worker.LostError
		// it was killed before, and its end is noticed now: as the server does
		for errors.As(err, &lost) && !lost.Sent {
			text, err = killed(t, w, prompt, n, -1)
		}
		if err != nil {
			t.Fatalf("turn %d: %v", n, err)
		}
		if want[prompt] == "" {
			want[prompt] = text
		}
		if text != want[prompt] {
			t.Fatalf("turn %d says %q, before %q", n, text, want[prompt])
		}
		moment := random.IntN(20)
		text, err = killed(t, w, prompt, n, moment)
		switch {
		case err == nil && text == want[prompt]:
			counts["answered"]++
		case errors.Is(err, engine.ErrWorkerLost) && strings.HasPrefix(want[prompt], text):
			counts["lost"]++
		default:
			t.Fatalf("turn %d, killed after %d updates: %q of %q, %v", n, moment, text, want[prompt], err)
		}
	}
	t.Logf("%d workers killed: %v; 0 wrong answers", kills, counts)
}

// killed runs a turn whose worker is killed after so many updates, as the turn is opened if it is
// 0, never if it is less.
func killed(t *testing.T, w *worker.Worker, prompt, n, after int) (string, error) {
	t.Helper()
	turn := greedy(fmt.Sprint("Once upon a time, ", prompt), 12)
	// nothing cached: another split of the prompt rounds otherwise
	turn.CacheKey = fmt.Sprint(n, after)
	if after == 0 {
		done := make(chan bool)
		go func() { defer close(done); killChildren() }()
		defer func() { <-done }()
	}
	s, err := w.Open(t.Context(), turn)
	if err != nil {
		return "", err
	}
	defer func() { _ = s.Close() }()
	var text strings.Builder
	for updates := 1; ; updates++ {
		if updates == after {
			killChildren()
		}
		u, err := s.Next(t.Context())
		for _, token := range u.Tokens {
			text.Write(token.Bytes)
		}
		if err != nil || u.Finish != nil {
			return text.String(), err
		}
	}
}

// killChildren kills all children of this process, those too that are still loading.
func killChildren() {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		pids, _ := os.ReadFile(list)
		for _, pid := range strings.Fields(string(pids)) {
			if id, err := strconv.Atoi(pid); err == nil {
				_ = syscall.Kill(id, syscall.SIGKILL) // it may have ended
			}
		}
	}
}
