package plan

import (
	"bytes"
	"slices"

	"tenon/tools/declared"
	"tenon/tools/lenient"
)

// Fits tells whether all of some calls may be sent.
func (p *Plan) Fits(calls []declared.RawCall) bool {
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c declared.RawCall) bool {
		m, ok := p.Resolve(c.Name)
		if !ok || c.Err != nil || len(c.Beside) > 0 {
			return true
		}
		t := &p.Tools[m.Tool]
		args, err := t.Arguments(&c)
		if err == nil {
			_, _, err = t.Schema.Conform(args)
		}
		return err != nil
	})
}

// ArgumentsOf is the shape of the arguments of the tools that a text names; of all if it names none.
func (p *Plan) ArgumentsOf(text []byte) lenient.Shape {
	var all []lenient.Shape
	for _, named := range []bool{true, false} {
		for i := range p.Tools {
			t := &p.Tools[i]
			if t.Allowed && (!named || bytes.Contains(text, []byte(`"`+t.Prompt+`"`))) {
				all = append(all, t.Shape())
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
