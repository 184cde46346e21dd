package runner

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
	"tenon/engine/worker/schedule"
)

// conversation is one that shares a beginning with others.
func conversation(i int) engine.Turn {
	return ask(strings.Repeat("system ", 20)+strings.Repeat(fmt.Sprint("user ", i, ". "), 50), 5)
}

func TestMove_finishedTurnsLeaveTheCacheAndComeBack(t *testing.T) {
	f := newFake()
	f.cells, f.context = 900, 900 // holds two of them
	r := newRunner(t, f, Options{})
	for i := range 5 {
		say(t, r, conversation(i))
	}
	if got := r.Stats().Cells; got > 140+400+5 {
		t.Errorf("%d cells are in use after five turns: more than the last one's", got)
	}
	saved := f.saved.Load()
	for i := range 5 {
		a := say(t, r, conversation(i))
		if a.finish.Usage.Cached != a.finish.Usage.Prompt-1 {
			t.Errorf("conversation %d finds %d of %d tokens", i, a.finish.Usage.Cached, a.finish.Usage.Prompt)
		}
		if want := alone(t, conversation(i)); a.text != want {
			t.Errorf("conversation %d says %q, want %q", i, a.text, want)
		}
	}
	if f.saved.Load() > saved+1 {
		t.Errorf("%d copies were made of what host memory held already", f.saved.Load()-saved-1)
	}
}

// Of what host memory holds, or the disk, that goes first which no prompt goes on from. A
// conversation that has come back once comes back after seven single questions each time, and
// there is room for six.
func TestMove_aConversationOutlivesSingleQuestions(t *testing.T) {
	for name, o := range map[string]Options{
		"host memory": {HostMemory: 3600},
		"disk":        {HostMemory: 1300, Disk: Disk{Path: t.TempDir(), Bytes: 10_000, Fingerprint: "fake"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, asked := New(small(engine.RewindAny), o), '!'
			next := func() engine.Turn {
				asked++
				return ask("all: "+strings.Repeat(string(asked)+" user ", 50), 5)
			}
			conversation := next()
			for round := range 8 {
				if u := say(t, r, conversation).finish.Usage; round > 0 && u.Cached != u.Prompt-1 {
					t.Errorf("%s, round %d: %d of %d tokens are found", name, round, u.Cached, u.Prompt)
				}
				for range min(3+4*round, 7) {
					say(t, r, next())
					synctest.Wait() // what makes way has been written
				}
			}
			_ = r.Close()
		})
	}
}

func TestMove_runningTurnsKeepTheirCells(t *testing.T) {
	f := newFake()
	r := newRunner(t, f, Options{})
	long := conversation(1)
	long.Budget.Tokens = 600
	s := open(t, r, long)
	for i := range 3 {
		if got, want := say(t, r, conversation(1+i%2)).text, alone(t, conversation(1+i%2)); got != want {
			t.Errorf("turn %d beside a running one says %q, want %q", i, got, want)
		}
	}
	a, err := read(t, s)
	if err != nil || a.text != alone(t, long) {
		t.Errorf("the running turn says %q, %v", a.text, err)
	}
}

func TestMove_onAGPUOnlyWhereCellsRunShort(t *testing.T) {
	f := newFake()
	f.cells, f.context = 1200, 1200
	r := newRunner(t, f, Options{GPU: true})
	for i := range 2 {
		say(t, r, conversation(i))
	}
	if f.saved.Load() != 0 {
		t.Errorf("%d copies were made while there was room", f.saved.Load())
	}
	for i := range 4 {
		say(t, r, conversation(i))
	}
	if got := say(t, r, conversation(0)).finish.Usage; f.saved.Load() == 0 || got.Cached != got.Prompt-1 {
		t.Errorf("%d copies; the first conversation finds %d of %d tokens", f.saved.Load(), got.Cached, got.Prompt)
	}
}

func TestMove_withoutHostMemoryNothingIsCopied(t *testing.T) {
	f := newFake()
	f.cells, f.context = 900, 900
	r := newRunner(t, f, Options{HostMemory: -1})
	for i := range 5 {
		say(t, r, conversation(i))
	}
	if f.saved.Load() != 0 {
		t.Errorf("%d copies were made", f.saved.Load())
	}
}

// Turns that end together wait for no copies of each other: nothing runs that they would be in the
// way of.
func TestMove_turnsThatEndTogetherAreNotCopied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, opened := newFake(), make(chan struct{})
		f.step = func([]Entry) { <-opened }
		r := New(f, Options{UBatchSize: 512})
		held := open(t, r, ask("short", 1))
		var others sync.WaitGroup
		for i := range 3 {
			others.Go(func() { say(t, r, ask(fmt.Sprintf("%d%s", i, strings.Repeat(" more", 20)), 5)) })
		}
		synctest.Wait() // they wait for the first step
		close(opened)
		others.Wait()
		if _, err := read(t, held); err != nil {
			t.Fatal(err)
		}
		if got := f.saved.Load(); got != 0 {
			t.Errorf("%d copies were made", got)
		}
		_ = r.Close()
	})
}

func TestMove_copiesAreMadeAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		r := New(f, Options{})
		say(t, r, conversation(1))
		say(t, r, conversation(1))
		if f.saved.Load() != 0 {
			t.Errorf("%d copies were made between turns that follow at once", f.saved.Load())
		}
		<-time.After(time.Minute)
		synctest.Wait()
		if f.saved.Load() != 1 {
			t.Errorf("%d copies were made at rest, want 1", f.saved.Load())
		}
		say(t, r, conversation(2))
		if f.saved.Load() != 1 {
			t.Errorf("%d copies were made when another turn began: it was to find them made", f.saved.Load()-1)
		}
		if a := say(t, r, conversation(1)); a.finish.Usage.Cached != a.finish.Usage.Prompt-1 || a.text != alone(t, conversation(1)) {
			t.Errorf("it comes back with %d of %d tokens and says %q", a.finish.Usage.Cached, a.finish.Usage.Prompt, a.text)
		}
		_ = r.Close()
	})
}

func TestMove_longSequencesAreCopiedWhenTheyMakeWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.cells, f.context = 9000, 9000
		r := New(f, Options{})
		say(t, r, ask(strings.Repeat("a long story ", mostAtRest/10), 5))
		<-time.After(time.Minute)
		synctest.Wait()
		if f.saved.Load() != 0 {
			t.Errorf("%d copies of a long sequence were made at rest: a prompt might have waited for them", f.saved.Load())
		}
		say(t, r, conversation(1))
		if f.saved.Load() != 3 {
			t.Errorf("%d copies were made for the next turn, want 3 pieces", f.saved.Load())
		}
		_ = r.Close()
	})
}

// A copy has so many tokens at most, the pieces of a sequence are as long as each other, and what
// host memory has no room for behind the beginning is not tried again.
func TestSave_inPiecesAsFarAsThereIsRoom(t *testing.T) {
	for _, c := range []struct{ tokens, shared, room, pieces int }{
		{mostCopied, 0, 1 << 20, 1}, {mostCopied + 1, 0, 1 << 20, 2}, {5*mostCopied - 3, 0, 1 << 20, 5},
		{5 * mostCopied, 700, 1 << 20, 5}, {5 * mostCopied, 0, 2*mostCopied + 10, 2}, {5 * mostCopied, 700, 2*mostCopied + 10, 2},
		{worthMoving - 1, 0, 1 << 20, 0},
	} {
		f := newFake()
		f.memory = make([][]fakeCell, 1)
		l := &loop{Runner: &Runner{backend: f, options: Options{HostMemory: c.room}}, cache: schedule.NewCache(1), store: schedule.NewStore(c.room)}
		seq, _ := l.cache.Take("")
		tokens := make([]int32, c.tokens)
		for i := range tokens {
			tokens[i] = int32(i % 64)
			f.memory[seq] = append(f.memory[seq], fakeCell{token: tokens[i]})
		}
		l.cache.Extend(seq, tokens...)
		l.save(seq, c.shared)
		chain, n := l.store.Chain("", tokens, c.shared)
		if len(chain) != c.pieces || c.room == 1<<20 && c.pieces > 0 && n != c.tokens || f.saved.Load() > int64(c.pieces)+1 {
			t.Errorf("%+v: %d pieces up to %d of %d copies made", c, len(chain), n, f.saved.Load())
		}
		for _, piece := range chain {
			if size := len(piece.Tokens) - piece.Start; size > mostCopied || size < mostCopied/2 {
				t.Errorf("%+v: a piece of %d tokens", c, size)
			}
		}
	}
}
