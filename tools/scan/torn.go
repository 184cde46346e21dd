package scan

import (
	"bytes"
	"errors"
	"slices"

	"tenon/tools/declared"
	"tenon/tools/lenient"
	"tenon/tools/peek"
)

// Where quotes inside of strings are not escaped, more than one reading of a call may make sense. A call with another value than the
// model meant is worse than none: what leaves is the reading that a reader sees, or no call.

var ErrTorn = errors.New("where its strings end would be a guess")

// torn tells whether a value was read by a guess at where its strings end.
func torn(v lenient.Decoded) bool { return slices.Contains(v.Repairs, lenient.UnescapedQuote) }

// choose takes the reading in which keys of the tools divide the text: the first of those that fit. It stands if nothing in its strings is
// a half of a pair; else if there is no other, none of them ends within brackets, and nothing in the text could be the end of it.
func choose(found []lenient.Reading, all, certain bool, fits func(json []byte) bool) (lenient.Reading, error) {
	found = slices.DeleteFunc(found, func(r lenient.Reading) bool { return !fits(r.JSON) })
	switch {
	case len(found) == 0:
		return lenient.Reading{}, ErrTorn
	case found[0].Paired, len(found) == 1 && all && certain && !found[0].Cut:
		return found[0], nil
	}
	return lenient.Reading{}, ErrTorn
}

// mended are the rules by which a reading came about. That a guess at its strings' ends was made is always one of them.
func mended(r lenient.Reading) []string {
	return append(declared.Without(r.Repairs, lenient.UnescapedQuote), lenient.UnescapedQuote)
}

// mend reads the calls of a whole text, in whose strings quotes are not escaped. closed says that it ends where it must.
func (o Opening) mend(text []byte, closed bool) ([]declared.RawCall, error) {
	peek.Examine(len(text))
	found, all := lenient.Readings(text, o.shape(text))
	chosen, err := choose(found, all, closed && o.certain(text), func(json []byte) bool { return o.Plan.Fits(o.callsOf(json)) })
	if err != nil {
		return nil, err
	}
	calls := o.callsOf(chosen.JSON)
	for i := range calls {
		calls[i].Repairs = append(calls[i].Repairs, mended(chosen)...)
	}
	return calls, nil
}

// callsOf takes the calls out of a list of values. Where the name is known, there is one.
func (o Opening) callsOf(list []byte) (all []declared.RawCall) {
	for _, v := range declared.Items(list) {
		all = append(all, callsIn(v, o)...)
	}
	if o.Name != "" && len(all) != 1 {
		return nil
	}
	return all
}

// certain tells whether nothing in a text is a marker, at which it may end.
func (o Opening) certain(text []byte) bool {
	return !slices.ContainsFunc(o.Plan.Terminators, func(t string) bool { return bytes.Contains(text, []byte(t)) })
}

// shape is that of the objects in a text which holds calls.
func (o Opening) shape(text []byte) lenient.Shape {
	args := o.Plan.ArgumentsOf(text)
	if o.Name != "" {
		m, _ := o.Plan.Resolve(o.Name)
		return o.Plan.Tools[m.Tool].Shape()
	}
	var call lenient.Shape
	call = func(key string) (lenient.Shape, bool) {
		if m, ok := o.Plan.Resolve(key); ok && (!o.Bare || o.keyed) {
			return o.Plan.Tools[m.Tool].Shape(), true
		}
		if slices.Contains(o.Plan.ArgsKeys, key) {
			return args, true
		}
		return call, slices.Contains(o.Plan.CallKeys, key)
	}
	return call
}
