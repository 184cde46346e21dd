package servertest

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
)

// Obedient is an engine that answers what its prompt tells it to, one round after the other:
//
//	[[name]]the first answer[[|]]the second[[/]]
//
// Each name counts for itself. An answer that ends in "…" goes on for seconds, a token a
// millisecond.
func Obedient(info engine.Model) *enginetest.Scripted {
	o := &obedient{rounds: map[string]int{}}
	return &enginetest.Scripted{Info: info, Play: o.play}
}

type obedient struct {
	mu     sync.Mutex // guards rounds
	rounds map[string]int
}

var orders = regexp.MustCompile(`(?s)\[\[(\w+)\]\](.*?)\[\[/\]\]`)

func (o *obedient) play(t engine.Turn) enginetest.Reply {
	all := orders.FindAllStringSubmatch(t.Prompt.String(), -1)
	if len(all) == 0 {
		return enginetest.Say("A word about nothing.")
	}
	last := all[len(all)-1]
	answers := strings.Split(last[2], "[[|]]")
	o.mu.Lock()
	n := min(o.rounds[last[1]], len(answers)-1)
	o.rounds[last[1]]++
	o.mu.Unlock()
	if text, long := strings.CutSuffix(answers[n], "…"); long {
		r := enginetest.Say(text + strings.Repeat(" word", 1<<10))
		r.Hold = slowly
		return r
	}
	return enginetest.Say(answers[n])
}

// slowly is ready once a millisecond.
var slowly = func() chan struct{} {
	ready := make(chan struct{})
	go func() {
		for range time.Tick(time.Millisecond) {
			ready <- struct{}{}
		}
	}()
	return ready
}()
