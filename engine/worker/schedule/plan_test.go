package schedule

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFits(t *testing.T) {
	for _, c := range []struct {
		name string
		w    Waiting
		r    Room
		want bool
	}{
		{"no slot", Waiting{Tokens: 1}, Room{Cells: 100}, false},
		{"room for prompt and answer", Waiting{Tokens: 500, Answer: 10}, Room{Slots: 1, Running: 1, Cells: 510}, true},
		{"a second long turn waits", Waiting{Tokens: 3000, Answer: 10}, Room{Slots: 3, Running: 1, Cells: 1000}, false},
		{"what is shared needs no room", Waiting{Tokens: 3000, Held: 2500, Answer: 10}, Room{Slots: 3, Running: 1, Cells: 1000}, true},
		{"a prompt that is not evaluated yet has its cells promised", Waiting{Tokens: 500, Answer: 10},
			Room{Slots: 1, Running: 1, Cells: 1000, Owed: 800}, false},
		{"a long answer is reserved in part", Waiting{Tokens: 500, Answer: 100000}, Room{Slots: 1, Running: 1, Cells: 800}, true},
		{"alone it always fits", Waiting{Tokens: 4000, Answer: 500}, Room{Slots: 4, Cells: 4096}, true},
	} {
		if got := Fits(c.w, c.r); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestShare_longPromptDoesNotStallStreams(t *testing.T) {
	slots := []Slot{{Pending: 9000}, {Pending: 1, Stream: true}, {Pending: 5, Stream: true}, {Pending: 70}}
	got := Share(slots, Limits{Batch: 512, Chunk: 64})
	if diff := cmp.Diff([]int{32, 1, 5, 32}, got); diff != "" {
		t.Error(diff)
	}
}

func TestShare_smallBatch(t *testing.T) {
	slots := []Slot{{Pending: 3, Stream: true}, {Pending: 3, Stream: true}, {Pending: 3}}
	if diff := cmp.Diff([]int{3, 1, 0}, Share(slots, Limits{Batch: 4, Chunk: 4})); diff != "" {
		t.Error(diff)
	}
}

func TestShare_shortPromptsFillUpTheChunk(t *testing.T) {
	slots := []Slot{{Pending: 10}, {Pending: 10}, {Pending: 100}}
	if diff := cmp.Diff([]int{10, 10, 44}, Share(slots, Limits{Batch: 512, Chunk: 64})); diff != "" {
		t.Error(diff)
	}
}

func TestShare_byTime(t *testing.T) {
	const ms = time.Millisecond
	stream, prompt := Slot{Pending: 1, Stream: true}, func(pending int, each time.Duration) Slot { return Slot{Pending: pending, Each: each} }
	for _, c := range []struct {
		name  string
		slots []Slot
		time  time.Duration
		want  []int
	}{
		{"as much as the time allows, in whole pieces", []Slot{prompt(9000, ms)}, 190 * ms, []int{160}},
		{"at most what is computed at once", []Slot{prompt(9000, ms)}, time.Hour, []int{512}},
		{"any time", []Slot{prompt(9000, time.Hour)}, 0, []int{512}},
		{"a short rest goes whole", []Slot{prompt(45, ms)}, 190 * ms, []int{45}},
		{"less than a piece where that takes too long", []Slot{prompt(9000, 30*ms)}, 190 * ms, []int{6}},
		{"a token at least", []Slot{stream, prompt(9000, 300*ms)}, 190 * ms, []int{1, 1}},
		{"the oldest half, and then the shortest", []Slot{prompt(9000, ms), stream, prompt(700, ms), prompt(60, ms)}, 200 * ms, []int{96, 1, 32, 60}},
		{"the oldest has what nobody else wants", []Slot{prompt(9000, ms), prompt(10, ms)}, 200 * ms, []int{160, 10}},
		{"each at its own cost", []Slot{prompt(9000, 4*ms), prompt(8000, ms/2)}, 200 * ms, []int{26, 192}},
		{"the oldest has a token, whatever comes", []Slot{prompt(9000, 500*ms), prompt(50, ms)}, 200 * ms, []int{1, 0}},
	} {
		if diff := cmp.Diff(c.want, Share(c.slots, Limits{Batch: 2048, Chunk: 512, Time: c.time})); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestPromptTime(t *testing.T) {
	const ms = time.Millisecond
	for streams, want := range map[time.Duration]time.Duration{0: 200 * ms, 20 * ms: 180 * ms, 150 * ms: 50 * ms, 180 * ms: 60 * ms, 600 * ms: 200 * ms} {
		if got := PromptTime(200*ms, streams); got != want {
			t.Errorf("beside %v: %v, want %v", streams, got, want)
		}
	}
}

func TestPace(t *testing.T) {
	const us = time.Microsecond
	limits := Limits{Chunk: 256, Time: 100 * time.Millisecond}
	var p Pace
	p.Note(100, 0, 100*1000*us, limits)
	for _, c := range []struct {
		name          string
		tokens, depth int
		took, want    time.Duration
	}{
		{"faster counts by half", 100, 0, 100 * 500 * us, 750 * us},
		{"slower at once", 133, 0, 133 * 2000 * us, 2000 * us},
		{"a rest counts by its share of a step", 5, 0, 5 * 4000 * us, 2200 * us},
		{"deeper: at most in proportion, of which it takes the half", 50, 1024, 50 * 2200 * us, 3300 * us},
	} {
		p.Note(c.tokens, c.depth, c.took, limits)
		if got := p.At(c.depth); got < c.want*99/100 || got > c.want*101/100 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if p.At(10) != p.At(1024) || p.At(3072) != 2*p.At(1024) {
		t.Errorf("at depth 10 %v, 1024 %v, 3072 %v", p.At(10), p.At(1024), p.At(3072))
	}
}

func TestFollow(t *testing.T) {
	shared := run(0, 2000)
	other := append(slices.Clone(shared[:100]), run(5000, 50)...)
	mine := append(slices.Clone(shared), -1)
	for _, c := range []struct {
		name   string
		others []Prompt
		leader int
		tokens int
	}{
		{"nobody", nil, -1, 0},
		{"the longest in common", []Prompt{{Tokens: other}, {Tokens: append(slices.Clone(shared), -2)}}, 1, 2000},
		{"another key", []Prompt{{Key: "b", Tokens: shared}}, -1, 0},
		{"it has passed already", []Prompt{{Tokens: shared, Done: 2000}}, -1, 0},
		{"too little to wait for", []Prompt{{Tokens: []int32{0, 1, 2}}}, -1, 0},
		{"the same prompt: all but the last token", []Prompt{{Tokens: mine}}, 0, 2000},
	} {
		leader, tokens := Follow(c.others, Prompt{Tokens: mine})
		if leader != c.leader || tokens != c.tokens {
			t.Errorf("%s: %d, %d tokens", c.name, leader, tokens)
		}
	}
	if leader, _ := Follow([]Prompt{{Tokens: shared}}, Prompt{Tokens: mine, Done: 1990}); leader != -1 {
		t.Error("waits for what it nearly has")
	}
}

func TestRetryAfter(t *testing.T) {
	for turn, want := range map[time.Duration]time.Duration{
		0: time.Second, 12 * time.Second: 3 * time.Second, time.Hour: time.Minute,
	} {
		if got := RetryAfter(4, turn); got != want {
			t.Errorf("%v: %v", turn, got)
		}
	}
}
