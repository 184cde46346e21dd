package templates

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"sort"
	"sync"

	"tenon/templates/jinja"
	"tenon/templates/schema"
)

// toolSet is what is made of declared tools once: sorted, tidied, as a template's variable, as
// text.
type toolSet struct {
	key     [sha256.Size]byte
	tools   []Tool
	heals   []Heal
	value   jinja.Value
	memo    *jinja.Memo            // of what the template makes of value
	listing string                 // the tools in words
	text    string                 // the functions as indented JSON
	flats   map[string]schema.Flat // by tool, where schemas are flattened

	declared map[string]json.RawMessage // schemas as they were sent, by tool

	making sync.Mutex              // protects guides
	guides map[Protocol]*jinja.Str // examples of calls, made when they are first wanted
}

// newToolSet prepares tools for every way in which a prompt may show them.
func newToolSet(key [sha256.Size]byte, declared []Tool, simple schema.Simplification) *toolSet {
	s := &toolSet{key: key, tools: append([]Tool(nil), declared...), declared: map[string]json.RawMessage{}}
	s.sort()
	values := make([]jinja.Value, len(s.tools))
	for i := range s.tools {
		s.declared[s.tools[i].Name] = s.tools[i].Parameters
		s.tidy(&s.tools[i])
		s.simplify(&s.tools[i], simple)
		v, err := toolValue(i, s.tools[i])
		if err != nil { // with references resolved in one another it nests too deep
			s.tools[i].Parameters = s.declared[s.tools[i].Name]
			v, _ = toolValue(i, s.tools[i]) // it was read when it was tidied
		}
		values[i] = v
	}
	s.value = jinja.NewList(values...)
	s.memo = jinja.NewMemo(s.value)
	s.listing = listing(s.tools)
	s.text = functionsText(s.tools)
	return s
}

// completing writes into a schema what a template could ask for.
type completing func(json.RawMessage) json.RawMessage

// completed are the tools with completed schemas.
func (s *toolSet) completed(complete completing) jinja.Value {
	values := make([]jinja.Value, len(s.tools))
	for i, t := range s.tools {
		if t.Parameters == nil {
			t.Parameters = noParameters
		}
		t.Parameters = complete(t.Parameters)
		v, err := toolValue(i, t)
		if err != nil { // what was written in nests too deep
			v, _ = toolValue(i, s.tools[i]) // newToolSet has read it
		}
		values[i] = v
	}
	return jinja.NewList(values...)
}

// functions are the tools as JSON text, for templates that take them so.
func (s *toolSet) functions() jinja.Value {
	if s == nil {
		return trusted("[]")
	}
	return jinja.NewString(s.text, origin(0, FieldTool))
}

func functionsText(tools []Tool) string {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	list := make([]function, len(tools))
	for i, t := range tools {
		if list[i] = function(t); t.Parameters == nil {
			list[i].Parameters = noParameters
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "    ")
	_ = e.Encode(list) // the parameters were read as JSON before
	return string(bytes.TrimSpace(b.Bytes()))
}

// sort makes the order of declaration, which some clients change from request to request, the
// order of names.
func (s *toolSet) sort() {
	byName := func(i, j int) bool { return s.tools[i].Name < s.tools[j].Name }
	if !sort.SliceIsSorted(s.tools, byName) {
		sort.SliceStable(s.tools, byName)
		s.heals = append(s.heals, Heal{Rule: ruleSortTools, Message: -1})
	}
}

// tidy shows the model a shorter schema of the same meaning. What cannot be read as JSON is shown
// as no parameters: the client's declaration is checked elsewhere.
func (s *toolSet) tidy(t *Tool) {
	if p := bytes.TrimSpace(t.Parameters); len(p) == 0 || bytes.Equal(p, []byte("null")) {
		t.Parameters = nil
		return
	}
	tidied, err := schema.Tidy(t.Parameters)
	if err != nil {
		s.heals = append(s.heals, Heal{Rule: ruleTidySchema, Message: -1, Detail: t.Name + ": " + err.Error()})
	} else if !sameJSON(tidied, t.Parameters) {
		s.heals = append(s.heals, Heal{Rule: ruleTidySchema, Message: -1, Detail: t.Name})
	}
	t.Parameters = tidied
}

// simplify shows less, where a model's options ask for it.
func (s *toolSet) simplify(t *Tool, simple schema.Simplification) {
	t.Description = simple.Describe(t.Description)
	if simple.IsZero() || t.Parameters == nil {
		return
	}
	if simple.Flatten {
		if s.flats == nil {
			s.flats = map[string]schema.Flat{}
		}
		_, s.flats[t.Name], _ = schema.Flatten(t.Parameters) // what was tidied can be read
	}
	if shown, err := simple.Simplify(t.Parameters); err == nil {
		t.Parameters = shown
		s.heals = append(s.heals, Heal{Rule: ruleSimplify, Message: -1, Detail: t.Name})
	}
}

// guidance returns the examples of calls in a protocol, made once.
func (s *toolSet) guidance(p Protocol, fits Fits, write func(Protocol, []Call) *jinja.Str) *jinja.Str {
	s.making.Lock()
	defer s.making.Unlock()
	text, ok := s.guides[p]
	if !ok {
		text = write(p, s.exampled(fits))
		if s.guides == nil {
			s.guides = map[Protocol]*jinja.Str{}
		}
		s.guides[p] = text
	}
	return text
}

func sameJSON(a, b json.RawMessage) bool {
	var ca, cb bytes.Buffer
	return json.Compact(&ca, a) == nil && json.Compact(&cb, b) == nil && bytes.Equal(ca.Bytes(), cb.Bytes())
}

// toolCache keeps the last tool sets: clients send the same dozens of schemas with every request.
// The zero value is ready.
type toolCache struct {
	mu   sync.Mutex // protects sets
	sets []*toolSet // most recently used last
}

// cachedSets is how many are kept: an agent's and its sub-agents'.
const cachedSets = 16

// get returns the set of the tools, nil if there are none.
func (c *toolCache) get(tools []Tool, simple schema.Simplification) *toolSet {
	if len(tools) == 0 {
		return nil
	}
	key := toolsKey(tools, simple)
	if s := c.find(key); s != nil {
		return s
	}
	s := newToolSet(key, tools, simple)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sets) == cachedSets {
		c.sets = c.sets[1:]
	}
	c.sets = append(c.sets, s)
	return s
}

func (c *toolCache) find(key [sha256.Size]byte) *toolSet {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range c.sets {
		if s.key == key {
			c.sets = append(append(c.sets[:i], c.sets[i+1:]...), s)
			return s
		}
	}
	return nil
}

// toolsKey hashes tools so that no two sets have the same: every text comes after its length.
func toolsKey(tools []Tool, simple schema.Simplification) (key [sha256.Size]byte) {
	h := sha256.New()
	writeText(h, fmt.Sprintf("%+v", simple))
	for _, t := range tools {
		writeText(h, t.Name)
		writeText(h, t.Description)
		writeText(h, string(t.Parameters))
	}
	h.Sum(key[:0])
	return key
}

// writeText hashes a text behind its length, so that no two lists of texts hash alike.
func writeText(h hash.Hash, s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	_, _ = h.Write(n[:])
	_, _ = h.Write([]byte(s))
}
