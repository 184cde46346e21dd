package conform

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"tenon/tools/lenient"
	"tenon/tools/ordered"
)

// value is a JSON value that remembers the order of its members and how its scalars were written.
type value struct {
	kind    byte // '{', '[', or 0 for a scalar
	raw     json.RawMessage
	members []member
	items   []value
}

type member struct {
	key string
	value
}

// parse reads v, which is valid JSON.
func parse(v []byte) value {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return value{raw: json.RawMessage("null")}
	}
	out := value{raw: v}
	switch v[0] {
	case '{':
		out.kind = '{'
		for _, m := range ordered.Members(v) {
			out.members = append(out.members, member{m.Key, parse(m.Value)})
		}
	case '[':
		out.kind = '['
		for _, item := range ordered.Items(v) {
			out.items = append(out.items, parse(item))
		}
	}
	return out
}

// bytes writes the value as JSON.
func (v value) bytes() []byte {
	switch v.kind {
	case '{':
		var all ordered.MemberList
		for _, m := range v.members {
			all = append(all, ordered.Member{Key: m.key, Value: m.value.bytes()})
		}
		return all.Object()
	case '[':
		var all []json.RawMessage
		for _, item := range v.items {
			all = append(all, item.bytes())
		}
		return ordered.Array(all...)
	}
	return v.raw
}

// any is the value as the validator wants it.
func (v value) any() any {
	a, err := jsonschema.UnmarshalJSON(bytes.NewReader(v.bytes()))
	if err != nil {
		return nil
	}
	return a
}

// str is the text of a string.
func (v value) str() (string, bool) { return ordered.Text(v.raw) }

func stringValue(s string) value { return value{raw: lenient.AppendString(nil, s)} }

// Fault is a place in arguments that does not validate, and that no lossless repair mends.
type Fault struct {
	Path    []string        // keys and indexes that lead there; empty: the arguments themselves
	Value   json.RawMessage // what stands there; nil if nothing does
	Schema  string          // JSON pointer to the schema that it does not fit
	Message string
}

// maxFaults bounds what Faults returns: one place is mended at a time.
const maxFaults = 16

// Faults tells where args fail, most general place first; none if they conform. args is valid
// JSON.
func (s *Schema) Faults(args []byte) []Fault {
	defer s.look(args)()
	c := coercion{budget: maxAttempts}
	v := parse(args)
	if !c.valid(v, s.root) {
		v = c.value(v, s.root, "")
	}
	s.renew(args)
	err := check(s.root, v.any())
	var e *jsonschema.ValidationError
	if err != nil && !errors.As(err, &e) {
		return []Fault{{Value: v.bytes(), Message: err.Error()}}
	} else if err == nil {
		return nil
	}
	var all []Fault
	weights{}.eachFault(e, func(e *jsonschema.ValidationError) bool {
		_, at, _ := strings.Cut(e.SchemaURL, "#")
		f := Fault{Path: e.InstanceLocation, Value: v.at(e.InstanceLocation), Schema: at, Message: message(e)}
		same := func(o Fault) bool { return o.Schema == at && slices.Equal(o.Path, f.Path) }
		if !slices.ContainsFunc(all, same) {
			all = append(all, f)
		}
		return len(all) < maxFaults
	})
	return all
}

// message is what the validator says of one failure, without its heading.
func message(e *jsonschema.ValidationError) string {
	alone := &jsonschema.ValidationError{SchemaURL: e.SchemaURL, InstanceLocation: e.InstanceLocation, ErrorKind: e.ErrorKind}
	text := strings.Join(strings.Fields(alone.Error()), " ")
	if _, said, ok := strings.Cut(text, " - "); ok {
		return said
	}
	return text
}

// weights are those of failures that were weighed: unions inside unions ask for them again.
type weights map[*jsonschema.ValidationError]weight

// weight is how many failures without a cause there are, and how deep the deepest lies.
type weight struct{ faults, depth int }

// eachFault visits the failures that have no cause, until visit returns false. Of a union the
// branch counts that has the fewest, or whose failures lie deepest: it is what the value was most
// likely meant to be. The branch itself is told first, since a value that fits it fits the union.
func (w weights) eachFault(e *jsonschema.ValidationError, visit func(*jsonschema.ValidationError) bool) bool {
	if len(e.Causes) == 0 {
		return visit(e)
	}
	if keyword := unionKeyword(e.ErrorKind); keyword != "" {
		best := w.best(e)
		return visit(&jsonschema.ValidationError{
			SchemaURL: e.SchemaURL + keyword + strconv.Itoa(best), InstanceLocation: e.InstanceLocation, ErrorKind: e.ErrorKind,
		}) && w.eachFault(e.Causes[best], visit)
	}
	for _, c := range e.Causes {
		if !w.eachFault(c, visit) {
			return false
		}
	}
	return true
}

// best is the branch of a union that counts.
func (w weights) best(e *jsonschema.ValidationError) int {
	best := 0
	for i, c := range e.Causes {
		if a, b := w.of(c), w.of(e.Causes[best]); a.faults < b.faults || a.faults == b.faults && a.depth > b.depth {
			best = i
		}
	}
	return best
}

func (w weights) of(e *jsonschema.ValidationError) weight {
	if known, ok := w[e]; ok {
		return known
	}
	causes, all := e.Causes, weight{}
	if len(causes) == 0 {
		all = weight{1, len(e.InstanceLocation)}
	} else if unionKeyword(e.ErrorKind) != "" {
		causes, all = []*jsonschema.ValidationError{causes[w.best(e)]}, weight{1, len(e.InstanceLocation)}
	}
	for _, c := range causes {
		one := w.of(c)
		all = weight{all.faults + one.faults, max(all.depth, one.depth)}
	}
	w[e] = all
	return all
}

// unionKeyword is where the branches of a union are, whose failures come in their order; "" for
// what is none.
func unionKeyword(k jsonschema.ErrorKind) string {
	switch k.(type) {
	case *kind.AnyOf:
		return "/anyOf/"
	case *kind.OneOf:
		return "/oneOf/"
	}
	return ""
}

// at is the text of the value that a path leads to, nil if there is none.
func (v value) at(path []string) json.RawMessage {
	for _, step := range path {
		i, err := strconv.Atoi(step)
		switch {
		case v.kind == '{':
			found := false
			for _, m := range v.members {
				if m.key == step {
					v, found = m.value, true
				}
			}
			if !found {
				return nil
			}
		case v.kind == '[' && err == nil && i >= 0 && i < len(v.items):
			v = v.items[i]
		default:
			return nil
		}
	}
	return v.bytes()
}
