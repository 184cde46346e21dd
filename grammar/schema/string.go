package schema

import (
	"errors"
	"slices"

	"tenon/grammar/lex"
)

// readStrings reads the keywords on strings.
func (r *reader) readStrings() {
	if low, high := r.count("minLength", 0), r.count("maxLength", Unbounded); low > 0 || high != Unbounded {
		r.f.strings = append(r.f.strings, stringLimit{length: true, min: low, max: high})
	}
	if v := r.get("pattern"); v != nil {
		if e, ok := r.regex("pattern", v.text); ok {
			r.f.strings = append(r.f.strings, stringLimit{text: e})
		}
	}
	if v := r.get("format"); v != nil && r.s.formats == FormatsAsserted {
		r.format(v.text)
	}
}

// undecided are the formats of the specification that no automaton decides. Other unknown names mean nothing (2020-12
// validation §7.2.3).
var undecided = []string{"idn-hostname", "idn-email"}

func (r *reader) format(name string) {
	e, ok := r.s.arena.Format(name)
	switch {
	case ok:
		if name == "regex" {
			r.s.issue(r.v, "format", Enforced, "groups of a pattern nest, which no automaton follows: a large part of all patterns is accepted")
		}
		r.f.strings = append(r.f.strings, stringLimit{text: e})
	case slices.Contains(undecided, name):
		r.drop("format", Checked, "no automaton decides format "+quoted(name))
	}
}

// regex returns the texts that a pattern is found in.
func (r *reader) regex(keyword, pattern string) (Expr, bool) {
	e, err := r.s.arena.Regex(pattern)
	if err == nil {
		return e, true
	}
	var limit *lex.LimitError
	if errors.As(err, &limit) && limit.Spent {
		r.s.undecided(r.blame(keyword), err)
		return e, false
	}
	action := Checked
	var bad *lex.RegexError
	if errors.As(err, &bad) && bad.Kind == lex.Invalid {
		action = Dropped
	}
	r.drop(keyword, action, err.Error())
	return e, false
}
