package lex

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// TestArena_concurrentWalks builds and walks from many goroutines; the race detector and the equal
// answers are the test.
func TestArena_concurrentWalks(t *testing.T) {
	a := NewArena(Limits{})
	patterns := []string{`^[a-z]{2,40}\d+$`, `^(?!ab)[a-d]*é?$`, `b.*a`}
	var wg sync.WaitGroup
	answers := make([][]bool, 8)
	for g := range answers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, 1))
			for _, p := range patterns {
				e, err := a.Regex(p)
				if err != nil {
					t.Error(err)
					return
				}
				s, quoted := a.Start(e), a.StartString(e, EscapesAny)
				for range 200 {
					text := randomText(r)
					answers[g] = append(answers[g], a.Accepting(a.Walk(s, text)))
					walkString(a, quoted, text)
					a.MinBytes(a.Walk(s, "a"))
				}
			}
		})
	}
	wg.Wait()
	for g := range answers {
		for i := range answers[0] {
			if answers[g][i] != answers[0][i] {
				t.Fatalf("goroutine %d differs at %d", g, i)
			}
		}
	}
}
