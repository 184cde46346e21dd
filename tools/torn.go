package tools

import (
	"bytes"
	"errors"
	"slices"

	"tenon/tools/lenient"
)

// Where quotes inside of strings are not escaped, more than one reading of a call may make sense. A call with another value than the
// model meant is worse than none: what leaves is the reading that a reader sees, or no call.

var errTorn = errors.New("where its strings end would be a guess")

// torn tells whether a value was read by a guess at where its strings end.
func torn(v lenient.Decoded) bool { return slices.Contains(v.Repairs, lenient.UnescapedQuote) }

// choose takes the reading in which keys of the tools divide the text: the first of those that fit. It stands if nothing in its strings is
// a half of a pair; else if there is no other, none of them ends within brackets, and nothing in the text could be the end of it.
func choose(found []lenient.Reading, all, certain bool, fits func(json []byte) bool) (lenient.Reading, error) {
	found = slices.DeleteFunc(found, func(r lenient.Reading) bool { return !fits(r.JSON) })
	switch {
	case len(found) == 0:
		return lenient.Reading{}, errTorn
	case found[0].Paired, len(found) == 1 && all && certain && !found[0].Cut:
		return found[0], nil
	}
	return lenient.Reading{}, errTorn
}

// mended are the rules by which a reading came about. That a guess at its strings' ends was made is always one of them.
func mended(r lenient.Reading) []string {
	return append(without(r.Repairs, lenient.UnescapedQuote), lenient.UnescapedQuote)
}

// mend reads the calls of a whole text, in whose strings quotes are not escaped. closed says that it ends where it must.
func (o opening) mend(text []byte, closed bool) ([]rawCall, error) {
	examine(len(text))
	found, all := lenient.Readings(text, o.shape(text))
	chosen, err := choose(found, all, closed && o.certain(text), func(json []byte) bool { return o.plan.fits(o.callsOf(json)) })
	if err != nil {
		return nil, err
	}
	calls := o.callsOf(chosen.JSON)
	for i := range calls {
		calls[i].repairs = append(calls[i].repairs, mended(chosen)...)
	}
	return calls, nil
}

// callsOf takes the calls out of a list of values. Where the name is known, there is one.
func (o opening) callsOf(list []byte) (all []rawCall) {
	for _, v := range items(list) {
		all = append(all, callsIn(v, o)...)
	}
	if o.name != "" && len(all) != 1 {
		return nil
	}
	return all
}

// certain tells whether nothing in a text is a marker, at which it may end.
func (o opening) certain(text []byte) bool {
	return !slices.ContainsFunc(o.plan.terminators, func(t string) bool { return bytes.Contains(text, []byte(t)) })
}

// fits tells whether all of some calls may be sent.
func (p *Plan) fits(calls []rawCall) bool {
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c rawCall) bool {
		m, ok := p.resolve(c.name)
		if !ok || c.err != nil || len(c.beside) > 0 {
			return true
		}
		t := &p.tools[m.tool]
		args, err := t.arguments(&c)
		if err == nil {
			_, _, err = t.schema.Conform(args)
		}
		return err != nil
	})
}

// shape is that of the objects in a text which holds calls.
func (o opening) shape(text []byte) lenient.Shape {
	args := o.plan.argumentsOf(text)
	if o.name != "" {
		m, _ := o.plan.resolve(o.name)
		return o.plan.tools[m.tool].shape()
	}
	var call lenient.Shape
	call = func(key string) (lenient.Shape, bool) {
		if m, ok := o.plan.resolve(key); ok && (!o.bare || o.keyed) {
			return o.plan.tools[m.tool].shape(), true
		}
		if slices.Contains(o.plan.argsKeys, key) {
			return args, true
		}
		return call, slices.Contains(callKeys, key) || slices.Contains(o.plan.nameKeys, key)
	}
	return call
}

// argumentsOf is the shape of the arguments of the tools that a text names; of all if it names none.
func (p *Plan) argumentsOf(text []byte) lenient.Shape {
	var all []lenient.Shape
	for _, named := range []bool{true, false} {
		for i := range p.tools {
			t := &p.tools[i]
			if t.allowed && (!named || bytes.Contains(text, []byte(`"`+t.prompt+`"`))) {
				all = append(all, t.shape())
			}
		}
		if len(all) > 0 {
			break
		}
	}
	if slices.ContainsFunc(all, func(s lenient.Shape) bool { return s == nil }) {
		return nil
	}
	return func(key string) (lenient.Shape, bool) {
		for _, s := range all {
			if inside, ok := s(key); ok {
				return inside, true
			}
		}
		return nil, false
	}
}

// shape is that of a tool's arguments: the keys it declares, and any if it declares none.
func (t *declared) shape() lenient.Shape {
	if len(t.parameters()) == 0 {
		return nil
	}
	return func(key string) (lenient.Shape, bool) { return nil, t.schema.Declares(key) }
}
