package soak

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// kinds are what is measured, and how much of each may be gained in 1,000 turns in the second half
// of a run, by least squares: the first half fills what is kept up to its bounds.
var kinds = []struct {
	name  string
	of    func(values map[string]float64) float64
	scale float64
	most  float64
}{
	{"memory, MiB", metric("process_resident_memory_bytes"), 1 << 20, 1},
	{"heap, MiB", metric("go_memstats_heap_inuse_bytes"), 1 << 20, .5},
	{"beside the heap, MiB", func(v map[string]float64) float64 {
		return v["process_resident_memory_bytes"] - (v["go_memstats_heap_sys_bytes"] - v["go_memstats_heap_released_bytes"])
	}, 1 << 20, .5},
	{"descriptors", metric("process_open_fds"), 1, .5},
	{"goroutines", metric("go_goroutines"), 1, .5},
	{"turns in slots", metric("tenon_slots_busy"), 1, .1},
	{"sequences kept", metric("tenon_cache_sequences_kept"), 1, .5},
}

func metric(name string) func(map[string]float64) float64 {
	return func(values map[string]float64) float64 { return values[name] }
}

// sample is what the server held after some turns.
type sample struct {
	turns  float64
	values map[string]float64
}

// meter is what was read in a run.
type meter struct{ samples []sample }

// measure takes a sample now and then until ctx ends. While it does, no turn runs: what a turn
// holds would look like a leak. It calls done when the run has been long enough.
func (s *soak) measure(ctx context.Context, done func()) *meter {
	var m meter
	every := min(time.Minute, s.atLeast()/20)
	for {
		select {
		case <-ctx.Done():
			return &m
		case <-time.After(every):
		}
		m.samples = append(m.samples, s.sample())
		last := m.samples[len(m.samples)-1]
		fmt.Printf("%7.0f turns, %4d workers killed:", last.turns, s.killed.Load())
		for _, k := range kinds {
			fmt.Printf("  %s %.1f", k.name, k.of(last.values)/k.scale)
		}
		fmt.Println()
		if time.Since(s.began) > s.atLeast() && last.turns >= float64(s.turns) {
			done()
		}
	}
}

// sample reads what the server holds at rest: the model is loaded, no turn runs, no connection is
// open but this one, and the collector has been through the heap. What the heap holds at another
// moment is as much what waits for the collector as what is kept.
func (s *soak) sample() sample {
	s.running.Lock()
	defer s.running.Unlock()
	s.hangUp()
	s.ask(context.Background(), turn{path: "/v1/completions", body: `{"model":"full","max_tokens":1,"prompt":"a"}`}, true)
	http.DefaultClient.CloseIdleConnections()
	const tries, alike = 10_000, 20
	out := s.read()
	for i, same := 0, 0; i < tries && same < alike; i++ {
		before := out
		if out = s.read(); out.atRest(before) {
			same++
		} else {
			same = 0
		}
	}
	// The second collection takes what the first left to be finalized, or in pools.
	const collections = "go_gc_duration_seconds_count"
	for first, i := out.values[collections], 0; i < tries && out.values[collections] < first+2; i++ {
		out = s.read()
	}
	return out
}

// atRest tells that the server does nothing but tell how it is, and that it did not before.
func (s sample) atRest(before sample) bool {
	return s.values["tenon_slots_busy"] == 0 && s.values["tenon_http_requests_running"] <= 1 &&
		s.values["go_goroutines"] == before.values["go_goroutines"] && s.values["process_open_fds"] == before.values["process_open_fds"]
}

// read reads the server's metrics; the request that does is one of those that are running.
func (s *soak) read() sample {
	out := sample{turns: float64(s.done.Load()), values: map[string]float64{}}
	answer, err := http.Get(s.base + "/metrics")
	if err != nil {
		return out
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		name, _, _ = strings.Cut(name, "{")
		if _, last, ok := strings.Cut(value, "} "); ok {
			value = last
		}
		n, _ := strconv.ParseFloat(value, 64) // comments have none
		out.values[name] += n
	}
	return out
}

// report prints how the turns ended and what grew. The error says what is not as it should be.
func (s *soak) report(m *meter) error {
	fmt.Printf("\n%d turns, %d workers killed\n%s\n", s.done.Load(), s.killed.Load(), &s.tally)
	var faults []error
	if n := s.tally.ended["wrong"]; n > 0 {
		faults = append(faults, fmt.Errorf("%d answers were wrong", n))
	}
	if n := s.done.Load(); n < int64(s.turns) {
		faults = append(faults, fmt.Errorf("%d turns ended; %d were to", n, s.turns))
	}
	half := m.samples[len(m.samples)/2:]
	for _, k := range kinds {
		grows := 1000 * slope(half, k.of) / k.scale
		fmt.Printf("  %-20s %+.3f in 1,000 turns\n", k.name, grows)
		// a short run says nothing
		if long := s.done.Load() >= 10_000 && s.kills == 0; long && grows > k.most {
			faults = append(faults, fmt.Errorf("%s: %+.3f in 1,000 turns; at most %.1f", k.name, grows, k.most))
		}
	}
	return errors.Join(faults...)
}

// slope is how much a value gains with a turn, by least squares.
func slope(all []sample, of func(map[string]float64) float64) float64 {
	var n, x, y, xx, xy float64
	for _, s := range all {
		v := of(s.values)
		n, x, y, xx, xy = n+1, x+s.turns, y+v, xx+s.turns*s.turns, xy+s.turns*v
	}
	if d := n*xx - x*x; d != 0 {
		return (n*xy - x*y) / d
	}
	return 0
}
