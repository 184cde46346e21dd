package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema/source"
)

// generator writes a random value by walking the form without backtracking, as a matcher does. If
// it gets stuck, the form has a dead end.
type generator struct {
	rng   *rand.Rand
	depth int
	fuel  int // values left to write
}

var (
	errStuck = errors.New("dead end")
	errLarge = errors.New("the value grows too large")
)

// without returns a node without some values, given as JSON texts.
func without(n *Node, texts [][]byte) *Node {
	values := make([]*source.Value, len(texts))
	for i, text := range texts {
		values[i], _ = source.Decode(string(text), 1000) // it was written by the generator
	}
	return n.And(n.schema.constant(nil, values).Not())
}

func (g *generator) value(out *bytes.Buffer, n *Node) error {
	alts := n.Alts()
	if len(alts) == 0 {
		return errStuck
	}
	if g.fuel--; g.fuel < 0 || g.depth > 60 {
		return errLarge
	}
	g.depth++
	defer func() { g.depth-- }()
	a := alts[g.rng.IntN(len(alts))]
	if g.depth > 4 {
		a = alts[0] // scalars come first
	}
	switch a.Kind {
	case Null:
		out.WriteString("null")
	case Bool:
		out.WriteString(map[bool]string{true: "true", false: "false"}[a.True && (!a.False || g.rng.IntN(2) == 0)])
	case Number:
		text, err := g.text(n.schema, a.Number, Unbounded)
		out.WriteString(text)
		return err
	case String:
		return g.string(out, n.schema, a.String)
	case Array:
		return g.array(out, a.Array)
	case Object:
		return g.object(out, n.schema, a.Object)
	}
	return nil
}

func (g *generator) string(out *bytes.Buffer, s *Schema, a StringAlt) error {
	text, err := "", error(nil)
	if a.MinLen > 0 {
		if a.MinLen > 10_000 {
			return errLarge
		}
		text = strings.Repeat("é", a.MinLen)
	} else {
		text, err = g.text(s, a.Text, a.MaxLen)
	}
	quoted, _ := json.Marshal(text)
	out.Write(quoted)
	return err
}

// text walks the automaton of e at random for a while, then takes the shortest completion. high
// bounds the code points.
func (g *generator) text(s *Schema, e Expr, high int) (string, error) {
	a := s.arena
	state := a.Start(e)
	var out []byte
	for range g.rng.IntN(12) {
		if a.Accepting(state) && g.rng.IntN(4) == 0 {
			break
		}
		var next []byte
		for b, to := range a.Row(state) {
			if runes := len([]rune(string(out))) + 1; a.Live(to) && (high == Unbounded || runes+a.MinRunes(to) <= high) {
				next = append(next, byte(b))
			}
		}
		if len(next) == 0 {
			break
		}
		b := next[g.rng.IntN(len(next))]
		// Plain letters are readable; exponents of any size are beyond the oracle.
		if letters := slices.DeleteFunc(next, func(b byte) bool { return b < ' ' || b > '~' || b == 'e' || b == 'E' }); len(letters) > 0 {
			b = letters[g.rng.IntN(len(letters))]
		}
		out = append(out, b)
		state = a.Step(state, b)
	}
	if !a.Live(state) {
		return "", errStuck
	}
	for !a.Accepting(state) {
		row := a.Row(state)
		b := slices.IndexFunc(row[:], func(to lexState) bool { return a.Live(to) && a.MinBytes(to) < a.MinBytes(state) })
		if b < 0 || a.Err() != nil {
			return "", errLarge // distances are beyond the arena's limits
		}
		out, state = append(out, byte(b)), row[b]
	}
	if high != Unbounded && len([]rune(string(out))) > high {
		return "", errStuck
	}
	return string(out), nil
}

func (g *generator) array(out *bytes.Buffer, a *ArrayAlt) error {
	length := a.Min + g.rng.IntN(3)
	for _, c := range a.Contains {
		length = max(length, c.From+c.Min)
	}
	if a.Max != Unbounded {
		length = min(length, a.Max)
	}
	if length > 1000 {
		return errLarge
	}
	n := a.Rest.schema.never
	if len(a.Contains) > 1 {
		return errLarge // more bookkeeping than a generator should have
	}
	counts := make([]int, len(a.Contains))
	var seen [][]byte
	out.WriteByte('[')
	for i := 0; i < length || wanted(a, counts) && i < a.Min+1000; i++ {
		item := a.Item(i)
		for j, c := range a.Contains {
			if i < c.From {
				continue
			}
			// While some are wanted count an element, or not if there is room for it
			// later; afterwards count none.
			later := (a.Max == Unbounded || c.Min-counts[j] < a.Max-i) && i < length && g.rng.IntN(2) == 0 && !item.And(c.Node.Not()).Empty()
			if with := item.And(c.Node); counts[j] < c.Min && !later && !with.Empty() {
				item = with
				counts[j]++
			} else if out := item.And(c.Node.Not()); !out.Empty() {
				item = out
			} else if counts[j]++; c.Max != Unbounded && counts[j] > c.Max {
				item = n // never
			}
		}
		if a.Unique {
			item = without(item, seen)
		}
		if item.Empty() && i >= a.Min {
			break
		}
		var element bytes.Buffer
		if err := g.value(&element, item); err != nil {
			return err
		}
		seen = append(seen, element.Bytes())
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(element.Bytes())
	}
	out.WriteByte(']')
	return nil
}

// wanted reports whether a has too few elements of some kind.
func wanted(a *ArrayAlt, counts []int) bool {
	for j, c := range a.Contains {
		if counts[j] < c.Min {
			return true
		}
	}
	return false
}

// objectPlan is an object that is being written.
type objectPlan struct {
	keys   []string
	values map[string]*Node
}

func (p *objectPlan) put(key string, n *Node) {
	if _, ok := p.values[key]; !ok {
		p.keys = append(p.keys, key)
	}
	p.values[key] = n
}

func (g *generator) object(out *bytes.Buffer, s *Schema, o *ObjectAlt) error {
	p := &objectPlan{values: map[string]*Node{}}
	for _, prop := range o.Props {
		if prop.Required {
			p.put(prop.Name, prop.Value)
		}
	}
	for _, e := range o.Exists {
		if err := g.intersect(s, o, p, e); err != nil {
			return err
		}
	}
	for _, i := range g.rng.Perm(len(o.Props)) {
		if g.depth < 4 && g.rng.IntN(3) == 0 && (o.MaxProps == Unbounded || len(p.keys) < o.MaxProps) && len(o.Implications) == 0 {
			g.add(p, o.Props[i])
		}
	}
	if err := g.fill(s, o, p); err != nil {
		return err
	}
	g.imply(o, p)
	g.rng.Shuffle(len(p.keys), func(i, j int) { p.keys[i], p.keys[j] = p.keys[j], p.keys[i] })
	out.WriteByte('{')
	for i, key := range p.keys {
		if i > 0 {
			out.WriteByte(',')
		}
		quoted, _ := json.Marshal(key)
		out.Write(quoted)
		out.WriteByte(':')
		if err := g.value(out, p.values[key]); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

// add puts a named key in, unless it is there or cannot be.
func (g *generator) add(p *objectPlan, prop Prop) {
	if _, ok := p.values[prop.Name]; !ok && !prop.Value.Empty() {
		p.put(prop.Name, prop.Value)
	}
}

// imply adds what the keys that are there require.
func (g *generator) imply(o *ObjectAlt, p *objectPlan) {
	for before := -1; before < len(p.keys); {
		before = len(p.keys)
		for _, i := range o.Implications {
			if _, there := p.values[i.Key]; !there {
				continue
			}
			for _, name := range i.Required {
				g.add(p, o.Props[o.Find(name)])
			}
		}
	}
}

// meet adds a key that meets e.
func (g *generator) intersect(s *Schema, o *ObjectAlt, p *objectPlan, e Exist) error {
	for _, c := range o.UnnamedKeys() {
		keys := s.unnamed(o, s.arena.Intersect(c.Keys, e.Keys))
		if n := c.Value.And(e.Value); !s.isEmpty(keys) && !n.Empty() {
			key, err := g.text(s, keys, Unbounded)
			p.put(key, n)
			return err
		}
	}
	for _, prop := range o.Props {
		if s.accepts(e.Keys, prop.Name) && !prop.Value.Empty() {
			if _, ok := p.values[prop.Name]; !ok {
				p.put(prop.Name, prop.Value)
			}
			return nil
		}
	}
	return errStuck
}

// fill adds keys until there are MinProps.
func (g *generator) fill(s *Schema, o *ObjectAlt, p *objectPlan) error {
	if o.MinProps > 1000 {
		return errLarge
	}
	for _, prop := range o.Props {
		if len(p.keys) < o.MinProps && !slices.ContainsFunc(o.Implications, func(i Implication) bool { return i.Key == prop.Name }) {
			g.add(p, prop)
			g.imply(o, p)
		}
	}
	for _, prop := range o.Props { // keys that bring others with them come last
		if len(p.keys) < o.MinProps && len(o.UnnamedKeys()) == 0 {
			g.add(p, prop)
			g.imply(o, p)
		}
	}
	for tries := 0; len(p.keys) < o.MinProps; tries++ {
		classes := slices.DeleteFunc(slices.Clone(o.UnnamedKeys()), func(c KeyClass) bool { return c.Value.Empty() })
		if len(classes) == 0 {
			return errStuck
		}
		if tries > 1000 {
			return errLarge
		}
		c := classes[g.rng.IntN(len(classes))]
		key, err := g.text(s, c.Keys, Unbounded)
		if err != nil {
			return err
		}
		if o.Find(key) < 0 {
			p.put(key, c.Value)
		}
	}
	return nil
}

// checkGenerated writes values from a schema and has them validated independently.
func checkGenerated(t *testing.T, name string, text []byte, rounds int) {
	t.Helper()
	s, err := Compile(string(text), Options{})
	if err != nil {
		return
	}
	judge := grammartest.Oracle(t, text)
	if judge == nil {
		return
	}
	for seed := range rounds {
		var out bytes.Buffer
		g := &generator{rng: rand.New(rand.NewPCG(uint64(seed), 1)), fuel: 3000}
		err := g.value(&out, s.Root)
		var large *UnsupportedError // of Except
		if errors.Is(err, errLarge) || errors.As(err, &large) {
			continue
		}
		if err != nil {
			t.Errorf("%s: seed %d: %v after …%s", name, seed, err, out.String()[max(0, out.Len()-300):])
			return
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Errorf("%s: seed %d: %v in %.300s", name, seed, err, out.String())
			return
		}
		if err := judge.Validate(v); err != nil {
			t.Errorf("%s: seed %d: %.300s: %.500v", name, seed, out.String(), err)
			return
		}
	}
}

func TestGenerate_fromMaskBenchIsValid(t *testing.T) {
	eachBenchCase(t, func(c grammartest.Case) { checkGenerated(t, c.Name, c.Schema, 5) })
}

func TestGenerate_officialSuite(t *testing.T) {
	s := grammartest.ReadSuite(t)
	for _, folder := range []string{"draft7", "draft2020-12"} {
		for file, groups := range s.Files[folder] {
			for _, g := range groups {
				if bytes.Contains(g.Schema, []byte(`"$ref": "http`)) {
					// the metaschemas here leave out the patterns of anchors
					continue
				}
				checkGenerated(t, folder+"/"+file+": "+g.Description, g.Schema, 20)
			}
		}
	}
}
