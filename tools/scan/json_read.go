package scan

import (
	"bytes"
	"errors"
	"slices"

	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
)

// Calls implements Scanner.
func (s *JSONScanner) Calls(body []byte) ([]declared.RawCall, error) {
	s.endAtAmbiguity(body)
	s.closed = s.closed || !s.Bare || s.stop == len(body)
	return s.take(body[:s.text])
}

// endAtAmbiguity ends the region where it became ambiguous, if no bracket behind that could end a
// value.
func (s *JSONScanner) endAtAmbiguity(body []byte) {
	if !s.Bare && s.ambiguousAt > 0 && s.text == s.stop && !bytes.ContainsAny(body[s.ambiguousAt:s.stop], "}]") {
		s.ambiguous, s.text, s.stop = false, s.ambiguousAt, s.ambiguousAt
	}
}

var errNoValue = errors.New("no JSON value")

// read decodes every value in text and takes the calls out of them.
func (s *JSONScanner) read(text []byte) ([]declared.RawCall, error) {
	var all []declared.RawCall
	for i := 0; ; {
		i = s.nextValue(text, i)
		if i < 0 {
			break
		}
		if first := peek.SkipSpace(text, i+1); s.Name == "" && text[i] == '[' && first < len(text) && text[first] == '{' {
			// calls are read one by one: one that is none costs the others nothing
			i = first
		}
		v, err := lenient.Decode(text[i:], s.values.Rules)
		peek.Examine(v.End)
		// the quote behind it
		closesString := slices.Contains(v.Repairs, lenient.EscapedTwice)
		if s.ambiguous || err != nil || ambiguous(v) || !closesString && quoteBehind(text[i+v.End:]) {
			if mended, mendErr := s.mend(s.unfenced(text), s.closed); mendErr == nil && !errors.Is(err, lenient.ErrTwice) {
				return mended, nil
			}
			if err == nil {
				err = ErrAmbiguous
			}
			n, ok := s.extent(text[i:])
			all = append(all, declared.RawCall{Source: text[i : i+n], Err: err})
			if !ok {
				return all, err
			}
			i += n
			continue
		}
		found := callsIn(v.JSON, s.Opening)
		for k := range found {
			found[k].Repairs = v.Repairs
			if found[k].Source == nil {
				found[k].Source = text[i : i+v.End]
			}
		}
		all = append(all, found...)
		i += v.End
	}
	if len(all) == 0 {
		return nil, errNoValue
	}
	return all, nil
}

// quoteBehind tells whether a quote is next behind a value and brackets, and opens no key of a
// call, or a word directly: that is inside of a string then.
func quoteBehind(rest []byte) bool {
	glued := bytes.TrimLeft(rest, "}]"+peek.ByteOrderMark)
	rest = bytes.TrimLeft(rest, " \t\r\n,;}]"+peek.ByteOrderMark)
	if len(rest) < 2 || rest[0] != '"' {
		return len(glued) > 0 && bytes.IndexByte([]byte(" \t\r\n,;{[(<`\""), glued[0]) < 0
	}
	n := bytes.IndexByte(rest[1:], '"') + 1
	return !slices.Contains(declared.CallKeys, string(rest[1:max(n, 1)])) || !bytes.HasPrefix(rest[n+1:], []byte(":"))
}

// unfenced is text from its first value on, without the code fence around it.
func (s *JSONScanner) unfenced(text []byte) []byte {
	text = bytes.TrimSpace(text[max(0, s.nextValue(text, 0)):])
	if s.fenced {
		text = bytes.TrimSuffix(text, []byte(format.FenceMark))
	}
	return text
}

// extent is how long the value at the start of text is, which cannot be decoded. Where quotes
// inside of its strings leave that open, what seems to follow it may be a part of it.
func (s *JSONScanner) extent(text []byte) (n int, ok bool) {
	values := lenient.Scanner{Rules: s.values.Rules}
	values.Reset(0)
	if values.Step(text, true) != lenient.Complete || values.Ambiguous || s.ambiguous {
		return len(text), false
	}
	return values.End, true
}

// nextValue returns where the next value starts, -1 if there is none.
func (s *JSONScanner) nextValue(text []byte, i int) int {
	for i < len(text) {
		if a := s.Plan.Terminators.Tag(text[i:], true); a == peek.Yes {
			return -1
		}
		if text[i] == '{' || text[i] == '[' {
			return i
		}
		i++
	}
	return -1
}

// callsIn takes the calls out of a JSON value.
func callsIn(v []byte, o Opening) []declared.RawCall {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return nil
	}
	if o.Name != "" {
		return []declared.RawCall{{Name: o.Name, Args: v}}
	}
	if v[0] == '[' {
		var all []declared.RawCall
		for _, item := range ordered.Items(v) {
			all = append(all, callsIn(item, o)...)
		}
		return all
	}
	if v[0] != '{' {
		return []declared.RawCall{{Source: v, Err: errors.New("not an object")}}
	}
	return objectCalls(v, o)
}

func objectCalls(v []byte, o Opening) []declared.RawCall {
	m := ordered.Members(v)
	for _, k := range declared.ListKeys {
		if list, ok := m.First(k); ok {
			return leftOut(callsIn(list, o), m, k)
		}
	}
	for _, k := range o.Plan.NameKeys {
		at, ok := m.First(k)
		if !ok {
			continue
		}
		if name, ok := ordered.Text(at); ok {
			return []declared.RawCall{fieldsCall(m, k, name, o)}
		}
		if at[0] == '{' { // {"type": "function", "function": {…}}
			inner := objectCalls(at, o)
			if _, isTool := o.Plan.Resolve(k); isTool && inner[0].Err != nil {
				continue // a tool has the name of a key
			}
			return leftOut(inner, m, k)
		}
	}
	if len(m) > 0 && (!o.Bare || o.keyed) { // {"NAME": {…}}
		return keyCalls(m, o)
	}
	return []declared.RawCall{{Source: v, Err: errors.New("no name")}}
}

func keyCalls(m ordered.MemberList, o Opening) []declared.RawCall {
	all := make([]declared.RawCall, 0, len(m))
	for _, e := range m {
		if _, ok := o.Plan.Resolve(e.Key); !ok {
			return []declared.RawCall{{Err: errors.New("no name")}}
		}
		all = append(all, declared.RawCall{Name: e.Key, Args: e.Value})
	}
	return all
}

// fieldsCall reads an object with a name. Without a field for arguments, those that are no call's
// own are the arguments.
func fieldsCall(m ordered.MemberList, nameKey, name string, o Opening) declared.RawCall {
	c := declared.RawCall{Name: name}
	for _, k := range o.Plan.ArgsKeys {
		if args, ok := m.First(k); ok {
			c.Args = args
			return leftOut([]declared.RawCall{c}, m, nameKey, k)[0]
		}
	}
	rest := others(m, nameKey)
	if len(rest) > 0 && !o.Bare {
		c.Repairs = append(c.Repairs, "arguments-beside-name")
		c.Args = rest.Object()
		return c
	}
	c.Args = []byte("{}")
	return leftOut([]declared.RawCall{c}, m, nameKey)[0]
}

// others are the members that are neither known nor say of every call the same: its id, its
// number, its type.
func others(m ordered.MemberList, known ...string) ordered.MemberList {
	return slices.DeleteFunc(slices.Clone(m), func(e ordered.Member) bool {
		return slices.Contains(known, e.Key) || slices.Contains(declared.IDKeys, e.Key) || e.Key == "type" || e.Key == "index"
	})
}

// leftOut notes on the first of some calls what the object that they were found in says besides.
func leftOut(calls []declared.RawCall, m ordered.MemberList, known ...string) []declared.RawCall {
	if len(calls) > 0 {
		for _, e := range others(m, known...) {
			calls[0].Beside = append(calls[0].Beside, e.Key)
		}
	}
	return calls
}
