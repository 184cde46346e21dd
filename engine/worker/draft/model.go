package draft

import "slices"

// This file decides about a draft model: a smaller one that says how a turn may go on. Unlike what
// a text holds, its guesses cost time, whether or not they come true.

// sures is how many kinds there are of a draft model's guesses, by the probability that it gives
// them; certain is the kind of what needs no guess.
const (
	sures   = 8
	certain = -1
)

func sure(p float64) int {
	n, _ := slices.BinarySearch([]float64{0.2, 0.33, 0.5, 0.65, 0.77, 0.87, 0.95}, p)
	return runs + n
}

// Say adds a token that a draft model has chosen with a probability.
func (g *Guess) Say(id int32, p float64) { g.add(id, sure(p)) }

// Force adds tokens that must come next.
func (g *Guess) Force(ids ...int32) {
	for _, id := range ids {
		g.add(id, certain)
	}
}

func (g *Guess) add(id int32, kind int) {
	g.Tokens, g.sure = append(g.Tokens, id), append(g.sure, kind)
}

// OfModel tells whether a draft model has made the guess.
func (g Guess) OfModel() bool { return g.sure != nil }

// Chosen is how many of the first n tokens the draft model has chosen.
func (g Guess) Chosen(n int) (chosen int) {
	for _, k := range g.sure[:n] {
		if k != certain {
			chosen++
		}
	}
	return chosen
}

// Model is how a draft model fares. The zero value has seen nothing.
type Model struct {
	cost    Cost // of its own steps, but for the first, which may find its weights on disk
	warm    bool
	started bool    // rate holds
	rate    float64 // how often what a round says comes true
	owed    float64 // see Owe
	off     bool
}

// How much a draft model may cost. The account's unit is the time of a step of one token.
const (
	mostRounds = 8
	hoped      = 0.8      // how often rounds are right, before anything was seen
	supposedly = 0.1      // what a round costs, before it was measured
	mostOwed   = 32       // at which the model is switched off
	repaid     = 1. / 128 // of each step: what the model may cost where it never pays
)

// Rounds returns how many tokens to draft for each waiting turn. chances are those of the
// guesses of the other turns; streams and tokens are as for [Lengths]. Each round costs one
// step of the draft model.
func (m *Model) Rounds(streams, tokens int, chances [][]float64, waiting []int, c *Cost, most int) int {
	if m.off || len(waiting) == 0 || c.unit == 0 {
		return 0
	}
	each := supposedly
	if m.cost.unit > 0 {
		each = m.cost.Of(len(waiting)) * m.cost.unit / c.unit
	}
	_, best := lengths(streams, tokens, chances, c, 0, most)
	chances = slices.Clone(chances)
	rounds, all, so := 0, []float64{}, 1.0
	for n := 1; n <= mostRounds; n++ {
		so *= m.right()
		all = append(all, so)
		for _, i := range waiting {
			chances[i] = all
		}
		if _, rate := lengths(streams, tokens, chances, c, each*float64(n), most); rate > best {
			rounds, best = n, rate
		}
	}
	return rounds
}

func (m *Model) right() float64 {
	if !m.started {
		return hoped
	}
	return m.rate
}

// Took tells of a step of the model's, of so many tokens.
func (m *Model) Took(tokens int, took float64, c *Cost) {
	if m.warm {
		m.cost.Note(tokens, took)
	}
	m.warm = true
	m.Owe(took / c.unit)
}

// Note learns from a guess of the model's, as Acceptance does.
func (m *Model) Note(g Guess, right int, failed bool) {
	for range g.Chosen(right) {
		m.note(1)
	}
	if failed {
		m.note(0)
	}
}

func (m *Model) note(right float64) {
	m.rate, m.started = m.right()+(right-m.right())/(memory/2), true
}

// Owe adds what the model has cost, in steps of one token, and takes away what it has saved. Where
// more is owed than a trial may cost, the model is switched off until steps without it have repaid
// that by a small share of theirs.
func (m *Model) Owe(steps float64) {
	m.owed = max(0, m.owed+steps)
	m.off = m.off && m.owed > 0 || m.owed > mostOwed
}

// Pass tells of a step that cost so much. Where the model says nothing any more it gets another
// trial as soon as nothing is owed: what is written now may be easier, and the machine less busy.
func (m *Model) Pass(steps float64, asked bool) {
	m.Owe(-steps * repaid)
	if !asked && m.owed == 0 {
		m.started, m.cost = false, Cost{}
	}
}
