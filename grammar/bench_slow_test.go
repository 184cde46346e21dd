package grammar_test

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"tenon/grammar"
)

// SlowMask is one of the slowest cold masks of a run.
type SlowMask struct {
	Schema   string  `json:"schema"`
	Instance int     `json:"instance"` // of the schema's tests
	Token    int     `json:"token"`    // index in the instance
	Behind   string  `json:"behind"`   // the text before it
	Where    string  `json:"where"`    // what that text is inside of
	US       float64 `json:"us"`
	Nodes    int64   `json:"nodes"`  // of vocabulary trees visited
	States   int     `json:"states"` // of lexical automata made
}

// maxBehind is how much of the text before a slow mask is told, in tokens.
const maxBehind = 8

// noteSlow remembers those of a schema's cold masks that are among the slowest of the run. It
// walks the schema once more for that: counting between the masks would be part of their times.
func (rep *Report) noteSlow(l *line, o Options, all []instance, times []time.Duration) {
	least := time.Duration(0)
	if len(rep.Slowest) == o.Slowest && o.Slowest > 0 {
		least = time.Duration(rep.Slowest[len(rep.Slowest)-1].US * float64(time.Microsecond))
	}
	if o.Slowest == 0 || len(times) == 0 || slices.Max(times[1:]) <= least {
		return
	}
	g, _, err := compile(l.Schema, o.Vocab)
	if err != nil {
		return
	}
	for i, x := range all {
		masks := replay(g.Matcher(o.Vocab), o.Vocab, x.tokens)
		for j, slow := range masks {
			// the very first counts as first mask
			if t := times[j]; t > least && i+j > 0 {
				slow.Schema, slow.Instance, slow.Token, slow.US = l.Name, i, j, float64(t)/float64(time.Microsecond)
				rep.Slowest = append(rep.Slowest, slow)
			}
		}
		times = times[len(masks):]
	}
	slices.SortStableFunc(rep.Slowest, func(a, b SlowMask) int { return cmp.Compare(b.US, a.US) })
	rep.Slowest = rep.Slowest[:min(len(rep.Slowest), o.Slowest)]
}

// replay walks an instance and tells of each mask all but its time.
func replay(m *grammar.Matcher, v *grammar.Vocab, tokens []int32) []SlowMask {
	var masks []SlowMask
	before := m.Effort()
	for j, token := range append(slices.Clone(tokens), v.EOG()[0]) {
		slow := SlowMask{Where: m.Where()}
		for _, id := range tokens[max(0, j-maxBehind):j] {
			slow.Behind += string(v.Piece(id))
		}
		refused := !m.Mask().Allows(token) || m.Accept(token) != nil
		after := m.Effort()
		slow.Nodes, slow.States = after.Nodes-before.Nodes, after.States-before.States
		masks = append(masks, slow)
		if before = after; refused {
			break
		}
	}
	return masks
}

func (rep *Report) writeSlowest(w io.Writer) error {
	if len(rep.Slowest) == 0 {
		return nil
	}
	text := "\nslowest cold masks     nodes    states   in\n"
	for _, s := range rep.Slowest {
		text += fmt.Sprintf("%9.0f us %12d %9d   %s: %s, test %d, token %d, behind %q\n", s.US, s.Nodes, s.States, s.Where, s.Schema, s.Instance, s.Token, s.Behind)
	}
	_, err := io.WriteString(w, text)
	return err
}
