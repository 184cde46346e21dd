package clients

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/grammar"
)

// script is a model that does its task. It answers by what stands in the prompt, since clients ask
// in an order of their own: titles beside the task, the task again after a failure.
type script struct {
	mu     sync.Mutex
	client client
	faults []string // what was wrong with a turn that the server asked for
}

// secret is what only the tool's result can hold.
var secret = regexp.MustCompile(`secret-[0-9a-f]{12}`)

// play answers one turn.
func (s *script) play(t engine.Turn) enginetest.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.answer(t)
	if err := legal(t.Grammar, text); err != nil {
		s.faults = append(s.faults, err.Error())
	}
	reply := enginetest.Say(text)
	if s.client.waits > 0 {
		reply.Hold = make(chan struct{})
		time.AfterFunc(s.client.waits, func() { close(reply.Hold) })
	}
	return reply
}

func (s *script) answer(t engine.Turn) string {
	prompt := t.Prompt.String()
	if found := secret.FindString(prompt); found != "" && !demandsCall(t) {
		return "The secret word is " + found + "."
	}
	for _, c := range s.client.calls {
		if declared(t, c.tool) {
			return fmt.Sprintf(`{"tool": %q, "arguments": %s}`, c.tool, encode(c.arguments))
		}
	}
	if strings.Contains(t.Grammar, "%json") {
		return encode(oslo)
	}
	return "A word about nothing."
}

func encode(v any) string {
	b, _ := json.Marshal(v) // what the rows hold always marshals
	return string(b)
}

// declared tells whether the turn may call a tool: its name stands in the output's grammar.
func declared(t engine.Turn, name string) bool {
	return strings.Contains(t.Grammar, `[tool="`+name+`"`)
}

// demandsCall tells whether the output must be a call.
func demandsCall(t engine.Turn) bool { return legal(t.Grammar, "a") != nil }

// legal tells whether an output matches the turn's grammar. A scripted engine does not mask, so
// nothing else would notice that a client's tools had become a grammar which refuses what the
// tools allow.
func legal(text, output string) error {
	if text == "" {
		return nil
	}
	g, err := grammar.Parse(text, grammar.Options{})
	if err != nil {
		return fmt.Errorf("the turn's grammar: %w", err)
	}
	p := g.Parser()
	if err := p.Feed([]byte(output)); err != nil {
		return fmt.Errorf("the turn's grammar refuses %s: %w", output, err)
	}
	return nil
}
