package draft

import "testing"

// modelOf is a draft model whose steps take such a share of those of the machine that measured
// has.
func modelOf(share float64, c *Cost) *Model {
	m := &Model{}
	for range 100 {
		m.Took(1, share*c.unit, c)
		m.Owe(-share)
	}
	return m
}

func TestRounds_areWhatPays(t *testing.T) {
	cost := measured(func(n int) float64 { return 1 + 0.15*float64(n) })
	alone := [][]float64{nil}
	for name, c := range map[string]struct {
		share, right float64
		chances      [][]float64
		waiting      []int
		most         int
		pays         bool
	}{
		"cheap and right":                 {0.05, 1, alone, []int{0}, 16, true},
		"as dear as a step":               {1, 1, alone, []int{0}, 16, false},
		"mostly wrong":                    {0.2, 0.1, alone, []int{0}, 16, false},
		"nobody waits":                    {0.05, 1, alone, nil, 16, false},
		"no room":                         {0.05, 1, alone, []int{0}, 1, false},
		"one of two, the other is likely": {0.05, 0.9, [][]float64{{0.9, 0.8}, nil}, []int{1}, 16, true},
	} {
		m := modelOf(c.share, cost)
		for range 200 {
			m.note(c.right)
		}
		if n := m.Rounds(len(c.chances), len(c.chances), c.chances, c.waiting, cost, c.most); (n > 0) != c.pays || n > mostRounds {
			t.Errorf("%s: %d rounds", name, n)
		}
	}
	if n := (&Model{}).Rounds(1, 1, alone, []int{0}, &Cost{}, 16); n > 0 {
		t.Errorf("before any step was measured: %d rounds", n)
	}
}

// A model that is never right, or dear, costs a small share of the steps, however long it goes on;
// when what comes is easier it is found out.
func TestModel_switchesItselfOffAndOn(t *testing.T) {
	cost := measured(func(n int) float64 { return 1 + 0.15*float64(n) })
	m := modelOf(0.1, cost)
	const steps = 20000
	lost, rounds := 0.0, 0
	run := func(steps int, right, share float64) {
		for range steps {
			rounds = m.Rounds(1, 1, [][]float64{nil}, []int{0}, cost, 16)
			for range rounds {
				m.Took(1, share*cost.unit, cost)
				lost += share - right
			}
			if rounds > 0 {
				m.note(right)
				m.Owe(-float64(rounds) * right)
			}
			m.Pass(1, rounds > 0)
		}
	}
	for name, c := range map[string]struct{ right, share float64 }{"wrong": {0, 0.1}, "dear": {1, 1.5}} {
		lost = 0
		run(steps, c.right, c.share)
		if lost > steps*repaid+mostOwed+mostRounds*c.share {
			t.Errorf("%s: of %d steps %.0f were lost", name, steps, lost)
		}
		run(128*(mostOwed+mostRounds), 1, 0.1)
		if rounds == 0 {
			t.Errorf("%s: now it pays, and is not asked", name)
		}
	}
}

// A trial that costs a lot before it can tell anything ends, too.
func TestModel_readsForSoLong(t *testing.T) {
	cost := measured(func(n int) float64 { return 1 + 0.15*float64(n) })
	m, n := &Model{}, 0
	for m.Rounds(1, 1, [][]float64{nil}, []int{0}, cost, 16) > 0 && n < 1000 {
		m.Took(mostShaped, 5*cost.unit, cost)
		m.Pass(1, true)
		n++
	}
	if n > mostOwed/5+1 {
		t.Errorf("it read %d times", n)
	}
}

// What a model is sure of, and what it is not, are learned apart.
func TestGuess_ofAModel(t *testing.T) {
	var g Guess
	g.Say(1, 0.99)
	g.Force(2, 3)
	g.Say(4, 0.1)
	var c Acceptance
	before := c.Of(g)
	if before[0] != before[2] || before[3] > before[0]/2 || g.Chosen(3) != 1 || g.Chosen(4) != 2 || !g.OfModel() {
		t.Errorf("%v of %+v", before, g)
	}
	for range 50 {
		c.Note(g, 3, true)
	}
	if after := c.Of(g); after[0] < before[0] || after[3] > before[3] {
		t.Errorf("%v, then %v", before, after)
	}
	if got := (Guess{Tokens: []int32{1}, Run: 4}); got.OfModel() || got.Chosen(0) != 0 {
		t.Error("the text's is taken for a model's")
	}
}
