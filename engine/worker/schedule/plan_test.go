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
	if diff := cmp.Diff([]int{64, 1, 5, 0}, got); diff != "" {
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

func TestChunk(t *testing.T) {
	for _, c := range []struct {
		watched  bool
		perToken time.Duration
		want     int
	}{
		{false, time.Millisecond, 512},
		{true, 0, 32},
		{true, 5 * time.Millisecond, 32},
		{true, time.Millisecond, 192},
		{true, time.Microsecond, 512},
		{true, time.Second, 32},
	} {
		if got := Chunk(c.watched, c.perToken, 512); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
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
