package runner

import (
	"fmt"
	"strings"
	"testing"

	"tenon/engine"
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
	saved := f.saved
	for i := range 5 {
		a := say(t, r, conversation(i))
		if a.finish.Usage.Cached != a.finish.Usage.Prompt-1 {
			t.Errorf("conversation %d finds %d of %d tokens", i, a.finish.Usage.Cached, a.finish.Usage.Prompt)
		}
		if want := alone(t, conversation(i)); a.text != want {
			t.Errorf("conversation %d says %q, want %q", i, a.text, want)
		}
	}
	if f.saved > saved+1 {
		t.Errorf("%d copies were made of what host memory held already", f.saved-saved-1)
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
	if f.saved != 0 {
		t.Errorf("%d copies were made while there was room", f.saved)
	}
	for i := range 4 {
		say(t, r, conversation(i))
	}
	if got := say(t, r, conversation(0)).finish.Usage; f.saved == 0 || got.Cached != got.Prompt-1 {
		t.Errorf("%d copies; the first conversation finds %d of %d tokens", f.saved, got.Cached, got.Prompt)
	}
}

func TestMove_withoutHostMemoryNothingIsCopied(t *testing.T) {
	f := newFake()
	f.cells, f.context = 900, 900
	r := newRunner(t, f, Options{HostMemory: -1})
	for i := range 5 {
		say(t, r, conversation(i))
	}
	if f.saved != 0 {
		t.Errorf("%d copies were made", f.saved)
	}
}
