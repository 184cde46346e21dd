package schema

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// resource is a schema resource: a document's root or an embedded schema with an id of its own.
type resource struct {
	root    *value
	outer   *resource // what root lies in if its id means nothing, as in 2020-12, which decides without $schema; nil where it does
	uri     string    // absolute where the document says so; the key in Schema.resources
	draft   Draft
	anchors map[string]*value
	dynamic map[string]bool // which anchors are dynamic; "" stands for $recursiveAnchor

	noValidation bool // its metaschema leaves the validation vocabulary out
}

// resourceOf returns the resource that v lies in.
func (s *Schema) resourceOf(v *value) *resource {
	for n := v; n != nil; n = n.parent {
		if r, ok := s.roots[n]; ok {
			return r
		}
	}
	return s.main
}

// open registers v as the root of a resource called uri.
func (s *Schema) open(v *value, uri string, draft Draft) *resource {
	r := &resource{root: v, uri: uri, draft: draft}
	if d := v.get("$schema"); d != nil && d.kind == String {
		r.draft = draftOf(d.text, draft)
		r.noValidation = s.leavesOutValidation(d.text)
	}
	s.roots[v] = r
	if _, taken := s.resources[uri]; !taken {
		s.resources[uri] = r
	}
	return r
}

// place says where v is: its JSON pointer, behind the URI of its document where that is one of
// Options.Documents.
func (s *Schema) place(v *value) string {
	top := v
	for top != nil && top.parent != nil {
		top = top.parent
	}
	if r, ok := s.roots[top]; ok && top != s.main.root {
		return r.uri + "#" + v.pointer()
	}
	return v.pointer()
}

// validationKeywords make up the vocabulary for structural validation (2020-12 validation §6).
var validationKeywords = []string{"type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
	"maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties",
	"minProperties", "required", "dependentRequired"}

// leavesOutValidation reports whether uri is a metaschema of the caller's whose $vocabulary does
// not list validation.
func (s *Schema) leavesOutValidation(uri string) bool {
	text, ok := s.documents[uri]
	if !ok {
		return false
	}
	v, err := decodeJSON(text, s.limits.Depth)
	if err != nil || v.get("$vocabulary") == nil {
		return false
	}
	return !slices.ContainsFunc(v.get("$vocabulary").members, func(m member) bool { return strings.HasSuffix(m.key, "/vocab/validation") })
}

// anchor records a plain-name fragment of r; the first one wins.
func (r *resource) anchor(name string, v *value, dynamic bool) {
	if r.outer != nil && name != "" { // that is the root's
		r.outer.anchor(name, v, dynamic)
	}
	if r.anchors == nil {
		r.anchors = make(map[string]*value)
		r.dynamic = make(map[string]bool)
	}
	if _, taken := r.anchors[name]; !taken {
		r.anchors[name] = v
	}
	if dynamic {
		r.dynamic[name] = true
	}
}

// target is what a reference leads to.
type target struct {
	v        *value
	res      *resource
	fragment string // as written, without the hash
}

// resolve finds what ref means within r. why is set if it leads nowhere.
func (s *Schema) resolve(r *resource, ref string) (t target, why string) {
	if r.outer != nil {
		if t, why = s.resolve(r.outer, ref); why == "" {
			return t, ""
		}
	}
	uri, fragment, _ := strings.Cut(ref, "#")
	res := r
	if uri != "" {
		abs := resolveURI(r.uri, uri)
		if res, why = s.lookup(abs); res == nil {
			return t, why
		}
	}
	t = target{res.root, res, fragment}
	if fragment == "" {
		return t, ""
	}
	if text, err := url.PathUnescape(fragment); err == nil {
		fragment = text
	}
	if !strings.HasPrefix(fragment, "/") {
		if t.v = res.anchors[fragment]; t.v == nil {
			return t, "dangling reference: no such anchor"
		}
		return t, ""
	}
	if t.v = walkPointer(res.root, fragment); t.v == nil {
		return t, "dangling reference: nothing at that pointer"
	}
	t.res = s.resourceOf(t.v)
	return t, ""
}

// lookup finds the resource called uri: embedded, given by the caller, or a metaschema. why says
// why there is none.
func (s *Schema) lookup(uri string) (r *resource, why string) {
	if r, ok := s.resources[uri]; ok {
		return r, ""
	}
	if r, ok := s.resources[strings.TrimRight(uri, "#")]; ok {
		return r, ""
	}
	if text, ok := s.documents[uri]; ok {
		return s.include(uri, text)
	}
	if d := draftOf(uri, DraftAuto); d != DraftAuto {
		return s.include(uri, metaschema(d))
	}
	return nil, "remote reference: nothing is fetched"
}

// include reads a document that the caller gave. One that is no schema counts as absent.
func (s *Schema) include(uri string, text []byte) (r *resource, why string) {
	if len(text) > s.limits.Bytes {
		return nil, fmt.Sprintf("the document %s has more than %d bytes", uri, s.limits.Bytes)
	}
	v, err := decodeJSON(text, s.limits.Depth)
	if err != nil {
		return nil, "the document " + uri + " is not JSON: " + err.Error()
	}
	if v.kind != Object && v.kind != Bool {
		return nil, "the document " + uri + " is no schema, which is an object or a boolean"
	}
	r = s.open(v, uri, s.main.draft)
	s.check(v, r)
	if s.invalid != nil {
		why = s.invalid.Error()
		s.invalid = nil
		s.forget(v)
		return nil, why
	}
	return r, ""
}

// forget takes back the resources of a document.
func (s *Schema) forget(document *value) {
	maps.DeleteFunc(s.resources, func(_ string, r *resource) bool {
		top := r.root
		for top.parent != nil {
			top = top.parent
		}
		return top == document
	})
}

// walkPointer follows a JSON pointer from v, nil if it leads nowhere.
func walkPointer(v *value, pointer string) *value {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch {
		case v == nil:
			return nil
		case v.kind == Array:
			v = v.at(token)
		default:
			v = v.get(token)
		}
	}
	return v
}

// at returns the element that a pointer token names.
func (v *value) at(token string) *value {
	n := 0
	for _, c := range token {
		if c < '0' || c > '9' || n > len(v.items) {
			return nil
		}
		n = n*10 + int(c-'0')
	}
	if token == "" || n >= len(v.items) {
		return nil
	}
	return v.items[n]
}

// resolveURI resolves ref against base (RFC 3986 §5). What does not parse is compared as text.
func resolveURI(base, ref string) string {
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	u.Fragment = ""
	return u.String()
}

// scope is a dynamic scope: for each dynamic anchor, the resource in which $dynamicRef finds it
// first. Scopes are interned; a schema without dynamic references has only the empty one.
type scope struct {
	id    int32
	first map[string]*resource
}

// enter returns the scope after entering r from sc.
func (s *Schema) enter(sc *scope, r *resource) *scope {
	if len(r.dynamic) == 0 {
		return sc
	}
	key := scopeStep{sc, r}
	if next, ok := s.scopes[key]; ok {
		return next
	}
	next := sc
	for name := range r.dynamic {
		if _, known := sc.first[name]; known {
			continue
		}
		if next == sc {
			next = &scope{first: make(map[string]*resource)}
			for k, v := range sc.first {
				next.first[k] = v
			}
		}
		next.first[name] = r
	}
	if next != sc {
		next = s.internScope(next)
	}
	s.scopes[key] = next
	return next
}

type scopeStep struct {
	from *scope
	into *resource
}

func (s *Schema) internScope(sc *scope) *scope {
	for _, known := range s.allScopes {
		if sameScope(known, sc) {
			return known
		}
	}
	sc.id = int32(len(s.allScopes))
	s.allScopes = append(s.allScopes, sc)
	return sc
}

func sameScope(a, b *scope) bool {
	if len(a.first) != len(b.first) {
		return false
	}
	for k, v := range a.first {
		if b.first[k] != v {
			return false
		}
	}
	return true
}
