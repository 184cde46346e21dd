package schema

import (
	"errors"
	"slices"
	"strconv"

	"tenon/grammar/lex"
	"tenon/grammar/lex/ecma"
)

// readStrings reads the keywords on strings.
func (r *reader) readStrings() {
	if low, high := r.count("minLength", 0), r.count("maxLength", Unbounded); low > 0 || high != Unbounded {
		r.f.strings = append(r.f.strings, stringLimit{length: true, min: low, max: high})
	}
	if v := r.get("pattern"); v != nil {
		if e, ok := r.regex("pattern", v.Text); ok {
			r.f.strings = append(r.f.strings, stringLimit{text: e})
		}
	}
	if v := r.get("format"); v != nil && r.s.formats == FormatsAsserted {
		r.format(v.Text)
	}
}

// undecidedFormats are the formats of the specification that no automaton decides. Other unknown
// names mean nothing (2020-12 validation §7.2.3).
var undecidedFormats = []string{"idn-hostname", "idn-email"}

func (r *reader) format(name string) {
	e, ok := r.s.arena.Format(name)
	switch {
	case ok:
		if name == "regex" {
			r.s.issue(r.v, "format", Enforced, "groups of a pattern nest, which no automaton follows: a large part of all patterns is accepted")
		}
		r.f.strings = append(r.f.strings, stringLimit{text: e, superset: r.s.arena.FormatSuperset(name)})
		if most, endless := longestTimes[name]; endless && r.s.numberSpelling.MaxFractionDigits > 0 {
			r.s.times[e] = most
		}
	case slices.Contains(undecidedFormats, name):
		r.drop("format", Checked, "no automaton decides format "+strconv.Quote(name))
	}
}

// longestTimes are the formats without a bound on the digits of a second, with the code points
// that they take with nine of those.
var longestTimes = map[string]int{"time": len("23:59:59.123456789+00:00"), "date-time": len("2006-01-02T23:59:59.123456789+00:00"), "duration": 40}

// boundTimes bounds the length of strings that are a time and nothing else, if the digits of
// numbers are bounded: a model that has begun to write zeros goes on with them. It applies to the
// finished alternatives only, so that no other keyword is decided differently.
func (s *Schema) boundTimes(alts []*Alt) []*Alt {
	for i, a := range alts {
		if a.Kind != String || a.String.MaxLen != Unbounded || a.String.MinLen > 0 {
			continue
		}
		if most, ok := s.times[a.String.Text]; ok {
			bounded := *a
			bounded.String.MaxLen = most
			alts[i] = &bounded
		}
	}
	return alts
}

// regex returns the texts in which a pattern matches somewhere.
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
	var bad *ecma.Error
	if errors.As(err, &bad) && bad.Kind == ecma.Invalid {
		action = Dropped
	}
	r.drop(keyword, action, err.Error())
	return e, false
}
