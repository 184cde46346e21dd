package breaker

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBackoff(t *testing.T) {
	var b Breaker
	var got []time.Duration
	for range Most + 1 {
		got = append(got, b.Backoff())
		b.Failed(time.Time{})
	}
	want := []time.Duration{0, 0, time.Second, 2 * time.Second, 4 * time.Second, 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What failed too often is tried once more after each rest, until it works.
func TestBreaker_oneTryAfterEachRest(t *testing.T) {
	var b Breaker
	now := time.Unix(0, 0)
	for range Most {
		if _, open := b.Open(now); open {
			t.Fatalf("open after %d failures", b.Failures())
		}
		b.Failed(now)
	}
	var rests []time.Duration
	for range 7 {
		left, open := b.Open(now)
		if !open {
			t.Fatal("closed without a rest")
		}
		rests = append(rests, left)
		now = now.Add(left)
		if _, open := b.Open(now); open {
			t.Fatal("open after its rest")
		}
		b.Failed(now)
	}
	want := []time.Duration{30e9, 60e9, 120e9, 240e9, 480e9, 600e9, 600e9}
	if diff := cmp.Diff(want, rests); diff != "" {
		t.Error(diff)
	}
	for range 100 {
		b.Failed(now) // no shift is too far
	}
	if left, _ := b.Open(now); left != longest {
		t.Errorf("rests %s", left)
	}
	b.Worked()
	if _, open := b.Open(now); open || b.Failures() != 0 {
		t.Error("it does not forget")
	}
}
