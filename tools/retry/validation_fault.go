package retry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"tenon/tools/conform"
	"tenon/tools/declared"
	"tenon/tools/emit"
	"tenon/tools/ordered"
	"tenon/tools/parse"
	"tenon/tools/plan"
	"tenon/tools/turn"
)

// Fault is a call that a %check mark has just ended and whose arguments do not validate, after the
// repairs that lose nothing.
type Fault struct {
	Tool string          // as the prompt names it
	Args json.RawMessage // what the model wrote, as JSON; nil where even that cannot be read
	Err  error
	// Source is what the model wrote, of a call that was refused as text.
	Source string

	tool   int
	Places []conform.Fault // what is wrong where
	// bytes of the output before the value at fault, its argument, all arguments
	starts []int
}

// CheckCall validates the call that a %check mark has just ended. tokens are the turn's output up
// to the token that the mark is in or behind, each with whether it is a marker token. The result
// is nil if the call is valid or there is none.
func CheckCall(p *parse.Reading, grammar string, tokens iter.Seq2[[]byte, bool]) *Fault {
	var o parse.Outcome
	var w argumentPlaces
	if g, err := emit.Compile(grammar, nil); err == nil {
		q := parse.NewConstrained(p, g, nil)
		for text, symbol := range tokens {
			// byte by byte: where captures begin is then certain
			for n := 1; len(text) > 0; text = text[n:] {
				if symbol {
					n = len(text)
				}
				q.Token(text[:n], symbol)
			}
		}
		o = q.Looked
		w.args, w.members, w.text, w.ok = q.ArgumentPlaces()
	}
	if !o.Known { // it has left its grammar
		o = lookAtText(p, tokens)
	}
	if o.Err == nil {
		return nil
	}
	t := &p.Tools[o.Tool]
	f := &Fault{Tool: t.Prompt, Args: o.Args, Err: o.Err, tool: o.Tool}
	if o.Args != nil {
		f.Places = t.Schema.Faults(o.Args)
		f.Err = explain(f)
	}
	if w.ok {
		f.locate(w)
	}
	return f
}

// maxNames bounds the names that a model is told which has named no tool.
const maxNames = 30

// Refused is what was wrong with a call that a parser of text has refused.
func Refused(p *plan.Plan, r turn.Refusal) *Fault {
	f := &Fault{Tool: r.Tool, Args: r.Args, Source: r.Source, Err: r.Err}
	i := slices.IndexFunc(p.Tools, func(t declared.Tool) bool { return t.Prompt == r.Tool && t.Allowed })
	there := "; there are " + strings.Join(p.Called[:min(len(p.Called), maxNames)], ", ")
	switch {
	case i < 0 && r.Tool != "":
		f.Err = fmt.Errorf("no tool is named %.80q%s", r.Tool, there)
	case errors.Is(r.Err, parse.ErrUndeclared):
		f.Err = fmt.Errorf("%w%s", r.Err, there)
	case i >= 0 && r.Args != nil:
		f.Places = p.Tools[i].Schema.Faults(r.Args)
		f.Err = explain(f)
	}
	return f
}

// lookAtText reads an output up to a mark as a text.
func lookAtText(p *parse.Reading, tokens iter.Seq2[[]byte, bool]) parse.Outcome {
	q := parse.NewTolerant(p, false, nil)
	for text, symbol := range tokens {
		q.Token(text, symbol)
	}
	q.Close(false)
	return q.Looked
}

// explain says in one line what is wrong, for the model and for people.
func explain(f *Fault) error {
	var all []string
	for _, place := range f.Places {
		all = append(all, place.Message)
	}
	if len(all) == 0 {
		return f.Err
	}
	return fmt.Errorf("call of %q: %s", f.Tool, strings.Join(all, "; "))
}

// From is how many bytes of the output stay when the call is written anew for the try-th time,
// from 0 on: first the value at fault is, then the whole argument, then all of them. It is false
// where that is not known.
func (f *Fault) From(try int) (int, bool) {
	if len(f.starts) == 0 {
		return 0, false
	}
	return f.starts[min(try, len(f.starts)-1)], true
}

// argumentPlaces is where the arguments of an output's last call stand in it, in bytes.
type argumentPlaces struct {
	args    int
	members []int  // where each argument begins; nil where they are one JSON text
	text    []byte // of the arguments, up to the output's end
	ok      bool   // this is known
}

// locate finds the first place at fault in the output.
func (f *Fault) locate(w argumentPlaces) {
	place, argument := -1, -1
	for _, at := range f.Places {
		p, a := w.args, w.args
		if len(at.Path) > 0 {
			p, a = w.place(f.Args, at.Path)
		}
		if place < 0 || p < place {
			place, argument = p, a
		}
	}
	for _, start := range []int{place, argument, w.args} {
		if n := len(f.starts); start >= w.args && (n == 0 || f.starts[n-1] > start) {
			f.starts = append(f.starts, start)
		}
	}
}

// place is where the value begins that a path leads to, and where its argument does.
func (w argumentPlaces) place(args json.RawMessage, path []string) (value, argument int) {
	if w.members == nil {
		argument, ok := locate(w.text, path[:1])
		if !ok {
			return w.args, w.args
		}
		value, ok := locate(w.text, path)
		if !ok {
			value = argument
		}
		return w.args + value, w.args + argument
	}
	all := ordered.Members(args)
	for i, m := range all {
		if m.Key == path[0] && len(all) == len(w.members) {
			return w.members[i], w.members[i]
		}
	}
	return w.args, w.args
}

// locate is where the value begins that a path leads to in a JSON text, behind which there may be
// more.
func locate(text []byte, path []string) (int, bool) {
	at := 0
	for _, step := range path {
		n, ok := child(text[at:], step)
		if !ok {
			return 0, false
		}
		at += n
	}
	return at, true
}

// child is where the member or element of a JSON value begins.
func child(text []byte, step string) (int, bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	open, err := dec.Token()
	for i := 0; err == nil && dec.More(); i++ {
		key := strconv.Itoa(i)
		if open == json.Delim('{') {
			var t json.Token
			t, err = dec.Token()
			key, _ = t.(string)
		}
		var raw json.RawMessage
		if err != nil || dec.Decode(&raw) != nil {
			return 0, false
		}
		if key == step {
			return int(dec.InputOffset()) - len(raw), true
		}
	}
	return 0, false
}
