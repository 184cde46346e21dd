package grammar_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"tenon/grammar"
	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// Options say what to measure with.
type Options struct {
	Vocab    *grammar.Vocab
	Tokenize func(text []byte) []int32
	// Verdict, if not nil, is told the verdict of each schema: ok, refused-valid,
	// accepted-invalid, or unsupported: KEYWORD and why. A schema that no value satisfies is
	// ok where no instance is valid: it refuses all.
	Verdict func(name, verdict string)
	// Slowest is how many of the slowest cold masks the report lists.
	Slowest int
}

// maxLine bounds a line of the file.
const maxLine = 64 << 20

// slowMask is the time above which a cold mask is measured again: most of what takes longer on a
// busy machine is not the mask.
const slowMask = time.Millisecond

type line struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Tests  []struct {
		Valid bool            `json:"valid"`
		Data  json.RawMessage `json:"data"`
	} `json:"tests"`
}

// instance is a test in tokens.
type instance struct {
	tokens []int32
	valid  bool
}

// dearFormats take tens of milliseconds when a schema first names them. They are made before, not
// to be counted to that schema.
var dearFormats = []string{
	"date-time", "email", "hostname", "ipv6", "iri", "iri-reference", "regex", "uri", "uri-reference", "uri-template",
}

// Run walks all schemas of a file.
func Run(r io.Reader, o Options) (*Report, error) {
	rep := &Report{UnsupportedBy: map[string]int{}}
	for _, name := range dearFormats {
		lex.NewArena(lex.Limits{}).Format(name)
	}
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<20), maxLine)
	var heap heap
	for n := 1; in.Scan(); n++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(in.Bytes(), []byte("\uFEFF")))
		if len(text) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			// a file that breaks off breaks off a line
			return nil, fmt.Errorf("line %d: %w", n, cmp.Or(in.Err(), err))
		}
		if len(l.Schema) == 0 {
			return nil, fmt.Errorf(`line %d has no "schema": a line is {"name", "schema", "tests": [{"valid", "data"}]}`, n)
		}
		verdict := rep.schema(&l, o)
		heap.tidy()
		if o.Verdict != nil {
			o.Verdict(l.Name, verdict)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read schemas: %w", err)
	}
	heap.tidy()
	rep.MemoryBytes = int64(heap.stats.Sys)
	rep.summarise()
	return rep, nil
}

// muchGarbage is how many bytes schemas may leave behind before they are collected: far fewer than
// those at which the collector would begin by itself.
const muchGarbage = 24 << 20

// heap is the process's memory as the bench minds it.
type heap struct {
	stats runtime.MemStats
	then  uint64 // bytes that had been allocated when it was collected last
}

// tidy collects what the schemas so far have left behind, so that the next one does not pay for
// it. What a schema itself leaves is collected while it runs, as ever.
func (h *heap) tidy() {
	if runtime.ReadMemStats(&h.stats); h.stats.TotalAlloc-h.then > muchGarbage {
		runtime.GC()
		h.then = h.stats.TotalAlloc
	}
}

// schema measures one line and returns its verdict.
func (rep *Report) schema(l *line, o Options) string {
	rep.Schemas++
	var all []instance
	for _, t := range l.Tests {
		all = append(all, instance{o.Tokenize(compactJSON(t.Data)), t.Valid})
	}
	g, first, err := compile(l.Schema, o.Vocab)
	if refusesAll(err, all) {
		rep.OK++
		return "ok"
	}
	if err != nil {
		rep.Unsupported++
		keyword := keywordOf(err)
		rep.UnsupportedBy[keyword]++
		return "unsupported: " + keyword + " " + err.Error()
	}
	rep.compile = append(rep.compile, first.compile)
	cold, verdict := walkAll(g, o.Vocab, all)
	if len(all) > 0 {
		first.mask = first.compile + cold[0]
	}
	rep.again(l.Schema, o.Vocab, all, cold)
	rep.noteSlow(l, o, all, cold)
	warm, _ := walkAll(g, o.Vocab, all)
	if len(all) > 0 {
		rep.first = append(rep.first, first.mask)
		rep.cold = append(rep.cold, cold[1:]...)
		rep.warm = append(rep.warm, warm...)
	}
	rep.count(verdict)
	return verdict
}

// refusesAll says whether a schema was found to have no valid instance, and has none.
func refusesAll(err error, all []instance) bool {
	var unsat *schema.UnsatError
	return errors.As(err, &unsat) && !slices.ContainsFunc(all, func(x instance) bool { return x.valid })
}

func (rep *Report) count(verdict string) {
	switch verdict {
	case "ok":
		rep.OK++
	case "refused-valid":
		rep.RefusedValid++
	default:
		rep.AcceptedInvalid++
	}
}

type firstTimes struct{ compile, mask time.Duration }

// compile starts from nothing but the vocabulary.
func compile(text []byte, v *grammar.Vocab) (*grammar.Grammar, firstTimes, error) {
	grammar.DropCaches()
	start := time.Now()
	g, err := grammar.FromSchema(text, grammar.SchemaOptions{})
	return g, firstTimes{compile: time.Since(start)}, err
}

// again repeats a cold walk twice if it had slow masks, and keeps the least time of each.
func (rep *Report) again(text []byte, v *grammar.Vocab, all []instance, cold []time.Duration) {
	slow := false
	for _, d := range cold {
		slow = slow || d > slowMask
	}
	for range 2 {
		if !slow {
			return
		}
		runtime.GC() // what the walks before have left behind
		g, _, err := compile(text, v)
		if err != nil {
			return
		}
		times, _ := walkAll(g, v, all)
		for i := range min(len(times), len(cold)) {
			if cold[i] > slowMask {
				cold[i] = min(cold[i], times[i])
			}
		}
	}
}

// walkAll walks all instances and returns the time of each mask with the accept that follows it.
func walkAll(g *grammar.Grammar, v *grammar.Vocab, all []instance) ([]time.Duration, string) {
	var times []time.Duration
	verdict := "ok"
	for _, x := range all {
		accepted := false
		times, accepted = walk(g.Matcher(v), v, x.tokens, times)
		switch {
		case accepted && !x.valid:
			verdict = "accepted-invalid"
		case !accepted && x.valid:
			verdict = "refused-valid"
		}
	}
	return times, verdict
}

func walk(m *grammar.Matcher, v *grammar.Vocab, tokens []int32, times []time.Duration) ([]time.Duration, bool) {
	end := v.EOG()[0]
	for i := 0; i <= len(tokens); i++ {
		token := end
		if i < len(tokens) {
			token = tokens[i]
		}
		start := time.Now()
		allowed := m.Mask().Allows(token)
		if allowed {
			allowed = m.Accept(token) == nil
		}
		times = append(times, time.Since(start))
		if !allowed {
			return times, false
		}
	}
	return times, true
}

// keywordOf names the keyword that a schema could not be compiled for.
func keywordOf(err error) string {
	var unsupported *schema.UnsupportedError
	var invalid *schema.InvalidError
	var unsat *schema.UnsatError
	switch {
	case errors.As(err, &unsupported) && unsupported.Keyword != "":
		return unsupported.Keyword
	case errors.As(err, &unsat):
		return "unsatisfiable"
	case errors.As(err, &invalid):
		return "invalid"
	}
	return "limit"
}
