package tools

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"iter"
	"sync"

	"tenon/grammar"
	"tenon/tools/bind"
	"tenon/tools/emit"
	"tenon/tools/families"
	"tenon/tools/format"
	"tenon/tools/memo"
	"tenon/tools/parse"
	"tenon/tools/plan"
	"tenon/tools/retry"
)

// Dialect is how a family of models writes its turns. Dialects are immutable and shared.
type Dialect struct{ *format.Dialect }

// Plan is everything about a turn that does not depend on what the model writes. It is immutable
// and may be shared.
type Plan struct {
	core    *plan.Plan
	reading *parse.Reading
	grammar string
	newID   func(Call) string
	stop    func() error
}

// planKey says which turns have the same plan, but for the ids of their calls.
type planKey struct {
	dialect *format.Dialect
	turn    [sha256.Size]byte
}

// plans are those that were prepared before: an agent sends the same tools with every request, a
// server has few agents. The plan of a hundred tools takes about a MB.
var plans = memo.New[planKey, *Plan](64, 4<<20)

// Plan prepares a turn; equal turns are prepared once. The error is a *ToolError, or the turn's
// Stop's.
func (d *Dialect) Plan(t Turn) (*Plan, error) {
	var all bytes.Buffer // of what a plan depends on: functions have no place in it
	if err := gob.NewEncoder(&all).Encode(t); err != nil {
		return nil, fmt.Errorf("tell turns apart: %w", err)
	}
	key := planKey{d.Dialect, sha256.Sum256(all.Bytes())}
	kept, err := plans.Get(key, all.Len(), func() (*Plan, error) { return prepare(d.Dialect, t) })
	if err != nil {
		return nil, err
	}
	p := *kept
	p.newID, p.stop = t.NewID, t.Stop
	return &p, nil
}

func prepare(d *format.Dialect, t Turn) (*Plan, error) {
	core, err := plan.Prepare(d, t)
	if err != nil {
		return nil, err
	}
	return &Plan{core: core, reading: parse.NewReading(core, others()), grammar: emit.Grammar(core)}, nil
}

// Write is how the family writes a turn's calls, behind the turn's text. It serves the templates
// that declare tools and show results but leave out the calls themselves; ok is false for families
// whose templates show them.
func (d *Dialect) Write(calls []Call) (pieces []Piece, ok bool) {
	return emit.WriteCalls(d.Dialect, calls)
}

// Tools are the tools as the prompt should show them: namespaces are part of the name, and a tool
// with free input takes it as its only argument.
func (p *Plan) Tools() []Tool { return p.core.PromptTools() }

// Grammar is what the turn's whole output must match, as extended GBNF: thinking, text and calls.
func (p *Plan) Grammar() string { return p.grammar }

// Shortest is how many bytes the shortest output has that Grammar allows; a symbol counts as one.
func (p *Plan) Shortest() int {
	g, err := p.compiled()
	if err != nil {
		return 0 // no engine follows it
	}
	return g.Matcher(nil).Distance()
}

// Issues tells of every tool which keywords of its schema the grammar does not enforce, or that it
// cannot be called.
func (p *Plan) Issues() []grammar.Issue { return p.core.Issues }

// Parser returns a parser for output that was made under Grammar, by an engine that tells symbols
// from text.
func (p *Plan) Parser() Parser {
	g, err := p.compiled()
	if err != nil {
		return p.SymbolParser() // no engine can have followed it
	}
	return parse.NewConstrained(p.reading, g, p.newID)
}

// SymbolParser returns a parser for the output of an engine that tells symbols from text and
// follows no grammar.
func (p *Plan) SymbolParser() Parser { return parse.NewTolerant(p.reading, false, p.newID) }

// TextParser returns a parser for text without token ids: from a remote engine, from a file, from
// a client's history. Markers are recognised by their spelling.
func (p *Plan) TextParser() *parse.Tolerant { return parse.NewTolerant(p.reading, true, p.newID) }

// CheckCall validates the call that a %check mark has just ended. tokens are the turn's output up
// to the token that the mark is in or behind, each with whether it is a marker token. The result
// is nil if the call is valid or there is none.
func (p *Plan) CheckCall(tokens iter.Seq2[[]byte, bool]) *Fault {
	return retry.CheckCall(p.reading, p.grammar, tokens)
}

// Fault is what a model is told about a call that a parser of text has rejected.
func (p *Plan) Fault(r Refusal) *Fault { return retry.Refused(p.core, r) }

// RetryGrammar is the grammar under which a call that failed validation is written anew, in the
// same turn. faults are what was wrong with the call in all tries, the last one last. output is
// the turn's, up to the mark that ended the call; its first keep bytes stay. The result is false
// if no such grammar refuses the output and accepts the part that stays.
func (p *Plan) RetryGrammar(faults []*Fault, output iter.Seq2[[]byte, bool], keep int) (string, bool) {
	return retry.Grammar(p.core, faults, output, keep)
}

// compiled is the plan's grammar, compiled as engines do; package grammar remembers it.
func (p *Plan) compiled() (*grammar.Grammar, error) { return emit.Compile(p.grammar, p.stop) }

// Lookup finds a dialect by its name or by what it is called elsewhere. Case and separators do not
// count.
func Lookup(name string) (*Dialect, bool) {
	d, ok := families.Lookup(name)
	if !ok {
		return nil, false
	}
	return &Dialect{d}, true
}

// Families lists every dialect by name, tenon's own formats among them.
func Families() []*Dialect {
	var all []*Dialect
	for _, d := range families.All() {
		all = append(all, &Dialect{d})
	}
	return all
}

// Fallback is the format of models that were taught none: tenon's own JSON.
func Fallback() *Dialect { return &Dialect{families.Fallback()} }

// others are the families whose calls are read in every dialect.
var others = sync.OnceValue(func() *parse.OtherFamilies { return parse.NewOtherFamilies(families.All()) })

// Detect finds the dialect of a model: the family that its template shows and that reads what the
// template writes, else what the template's own rendering of calls shows, else tenon's JSON
// format.
func Detect(e Evidence) *Dialect { return &Dialect{Bind(e).Dialect} }

// Bind does the same and tells how.
func Bind(e Evidence) Binding {
	return bind.Detect(e, bind.Known{Families: families.All(), OtherFamilies: others()})
}
