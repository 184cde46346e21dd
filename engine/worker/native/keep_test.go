//go:build cgo

package native

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/worker"
)

// story is a conversation that is worth keeping.
const story = "Once upon a time there was a small model, which had read a hundred books about a hundred lands, and it told of them all. "

// keepers are options under which one worker finds what the one before it has left.
func keepers(t *testing.T, path string) worker.Options {
	return worker.Options{Model: path, Context: 1024, Slots: 2, DiskCache: 64 << 20, DiskDir: t.TempDir()}
}

func kvFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "of-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestKeep_aRestartGoesOnWhereItWas(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		o := keepers(t, path)
		before := load(t, o)
		turn := greedy(story+"And so", 20)
		turn.CacheKey = "a"
		first := say(t, before, turn)
		next := greedy("", 30)
		next.CacheKey = "a"
		next.Prompt = append(next.Prompt, turn.Prompt...)
		next.Prompt = append(next.Prompt, keptPiece(first.ids))
		want := say(t, load(t, worker.Options{Model: path, Context: 1024}), next)
		_ = before.Close()

		after := load(t, o)
		got := say(t, after, next)
		if u := got.finish.Usage; u.Cached < u.Prompt-2 {
			t.Errorf("%d of %d tokens are there after a restart", u.Cached, u.Prompt)
		}
		if got.text != want.text {
			t.Errorf("after a restart %q, read anew %q", got.text, want.text)
		}
		if after.Stats().Fetched == 0 {
			t.Error("nothing was read from disk")
		}
		other := next
		other.CacheKey = "b"
		if got := say(t, load(t, o), other); got.finish.Usage.Cached > 0 {
			t.Errorf("another key finds %d tokens", got.finish.Usage.Cached)
		}
	})
}

// What another model, engine or setting has written is not even looked at.
func TestKeep_anotherFingerprintReadsNothing(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	turn := greedy(story, 5)
	for name, change := range map[string]func(t *testing.T, o *worker.Options){
		"another file": func(t *testing.T, o *worker.Options) {
			if err := os.Chtimes(path, time.Now(), time.Now().Add(time.Second)); err != nil {
				t.Fatal(err)
			}
		},
		"another RoPE": func(_ *testing.T, o *worker.Options) { o.RoPEFreqScale = 0.5 },
		"an adapter": func(t *testing.T, o *worker.Options) {
			o.LoRA = []worker.Adapter{{Path: tinymodel.AdapterFile(t, tinymodel.FullAttention)}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := keepers(t, path)
			r := load(t, o)
			say(t, r, turn)
			_ = r.Close()
			if len(kvFiles(t, o.DiskDir)) == 0 {
				t.Fatal("nothing was kept")
			}
			same := load(t, o)
			if got := say(t, same, turn).finish.Usage; got.Cached != got.Prompt-1 {
				t.Errorf("the same worker finds %d of %d tokens", got.Cached, got.Prompt)
			}
			_ = same.Close()
			change(t, &o)
			if got := say(t, load(t, o), turn).finish.Usage; got.Cached > 0 {
				t.Errorf("it finds %d tokens", got.Cached)
			}
			if left := kvFiles(t, o.DiskDir); len(left) > 0 {
				t.Errorf("%q are left", left)
			}
		})
	}
}

// Through the whole way: a confined child writes at its end, and the next one finds it.
func TestKeep_workersHandOver(t *testing.T) {
	path, dir := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}), t.TempDir()
	o := worker.Options{Name: "tiny", Model: path, Context: 1024, StateDir: dir, DiskCache: 64 << 20}
	turn := greedy(story, 10)
	first := start(t, o)
	want := say(t, first, turn)
	_ = first.Close()
	second := start(t, o)
	got := say(t, second, turn)
	if u := got.finish.Usage; u.Cached != u.Prompt-1 || got.text != want.text {
		t.Errorf("%d of %d tokens, %q; before %q", u.Cached, u.Prompt, got.text, want.text)
	}
	_ = second.Close()
	folders, err := filepath.Glob(filepath.Join(dir, "prefixes", "*", "of-*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("folders of owners: %q, %v", folders, err)
	}
	if err := os.RemoveAll(folders[0]); err != nil {
		t.Fatal(err)
	}
	if u := say(t, start(t, o), turn).finish.Usage; u.Cached > 0 {
		t.Errorf("deleted, and %d tokens are found", u.Cached)
	}
}

func keptPiece(ids []int32) engine.Piece { return engine.Piece{Origin: engine.Kept, Tokens: ids} }
