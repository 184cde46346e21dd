package source

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Resource is a schema resource: a document's root or an embedded schema with an id of its own.
type Resource struct {
	root *Value
	// set in DraftAuto if root has "id", which may be an id or mean nothing: the resource
	// around it, where references are looked up first
	outer   *Resource
	uri     string // the key in Set.resources; absolute if the document has an absolute id
	Draft   Draft
	anchors map[string]*Value
	dynamic map[string]bool // the anchors that are dynamic; "" stands for $recursiveAnchor

	NoValidation bool // its metaschema lacks the validation vocabulary
}

// ResourceOf returns the resource that v lies in.
func (s *Set) ResourceOf(v *Value) *Resource {
	for n := v; n != nil; n = n.parent {
		if r, ok := s.roots[n]; ok {
			return r
		}
	}
	return s.Main
}

// Begins returns the resource that v is the root of.
func (s *Set) Begins(v *Value) (r *Resource, ok bool) {
	r, ok = s.roots[v]
	return r, ok
}

// register registers v as the root of a resource called uri.
func (s *Set) register(v *Value, uri string, draft Draft) *Resource {
	r := &Resource{root: v, uri: uri, Draft: draft}
	if d := v.Get("$schema"); d != nil && d.Kind == String {
		r.Draft = draftOf(d.Text, draft)
		r.NoValidation = s.lacksValidation(d.Text)
	}
	s.roots[v] = r
	if _, taken := s.resources[uri]; !taken {
		s.resources[uri] = r
	}
	return r
}

// Place returns the JSON pointer of v, behind the URI of its document if that is one of
// Options.Documents.
func (s *Set) Place(v *Value) string {
	top := v
	for top != nil && top.parent != nil {
		top = top.parent
	}
	if r, ok := s.roots[top]; ok && top != s.Main.root {
		return r.uri + "#" + v.Pointer()
	}
	return v.Pointer()
}

// lacksValidation reports whether uri is a metaschema among Options.Documents whose $vocabulary
// does not list validation.
func (s *Set) lacksValidation(uri string) bool {
	text, ok := s.o.Documents[uri]
	if !ok {
		return false
	}
	v, err := Decode(string(text), s.o.MaxDepth)
	if err != nil || v.Get("$vocabulary") == nil {
		return false
	}
	return !slices.ContainsFunc(v.Get("$vocabulary").Members, func(m Member) bool { return strings.HasSuffix(m.Key, "/vocab/validation") })
}

// anchor records a plain-name fragment of r; the first one wins.
func (r *Resource) anchor(name string, v *Value, dynamic bool) {
	if r.outer != nil && name != "" { // "" is of the root
		r.outer.anchor(name, v, dynamic)
	}
	if r.anchors == nil {
		r.anchors = make(map[string]*Value)
		r.dynamic = make(map[string]bool)
	}
	if _, taken := r.anchors[name]; !taken {
		r.anchors[name] = v
	}
	if dynamic {
		r.dynamic[name] = true
	}
}

// Target is what a reference leads to.
type Target struct {
	Value    *Value
	Resource *Resource
	fragment string // as written, without the hash
}

// Resolve returns what ref refers to within r. If it leads nowhere, why says so.
func (s *Set) Resolve(r *Resource, ref string) (t Target, why string) {
	if r.outer != nil {
		if t, why = s.Resolve(r.outer, ref); why == "" {
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
	t = Target{res.root, res, fragment}
	if fragment == "" {
		return t, ""
	}
	if text, err := url.PathUnescape(fragment); err == nil {
		fragment = text
	}
	if !strings.HasPrefix(fragment, "/") {
		if t.Value = res.anchors[fragment]; t.Value == nil {
			return t, "dangling reference: no such anchor"
		}
		return t, ""
	}
	if t.Value = walkPointer(res.root, fragment); t.Value == nil {
		return t, "dangling reference: nothing at that pointer"
	}
	t.Resource = s.ResourceOf(t.Value)
	return t, ""
}

// lookup returns the resource called uri: embedded, one of Options.Documents, or a metaschema. If
// there is none, why says so.
func (s *Set) lookup(uri string) (r *Resource, why string) {
	if r, ok := s.resources[uri]; ok {
		return r, ""
	}
	if r, ok := s.resources[strings.TrimRight(uri, "#")]; ok {
		return r, ""
	}
	if text, ok := s.o.Documents[uri]; ok {
		return s.include(uri, text)
	}
	if d := draftOf(uri, DraftAuto); d != DraftAuto {
		return s.include(uri, metaschema(d))
	}
	return nil, "remote reference: nothing is fetched"
}

// include reads one of Options.Documents. One that is no schema counts as absent.
func (s *Set) include(uri string, text []byte) (r *Resource, why string) {
	if len(text) > s.o.MaxBytes {
		return nil, fmt.Sprintf("the document %s has more than %d bytes", uri, s.o.MaxBytes)
	}
	v, err := Decode(string(text), s.o.MaxDepth)
	if err != nil {
		return nil, "the document " + uri + " is not JSON: " + err.Error()
	}
	if v.Kind != Object && v.Kind != Bool {
		return nil, "the document " + uri + " is no schema, which is an object or a boolean"
	}
	r = s.register(v, uri, s.Main.Draft)
	s.check(v, r)
	if s.invalid != nil {
		why = s.invalid.Error()
		s.invalid = nil
		s.forget(v)
		return nil, why
	}
	return r, ""
}

// forget unregisters the resources of a document.
func (s *Set) forget(document *Value) {
	maps.DeleteFunc(s.resources, func(_ string, r *Resource) bool {
		top := r.root
		for top.parent != nil {
			top = top.parent
		}
		return top == document
	})
}

// walkPointer follows a JSON pointer from v; nil if it leads nowhere.
func walkPointer(v *Value, pointer string) *Value {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		switch {
		case v == nil:
			return nil
		case v.Kind == Array:
			v = v.at(token)
		default:
			v = v.Get(token)
		}
	}
	return v
}

// at returns the element that a pointer token names.
func (v *Value) at(token string) *Value {
	n := 0
	for _, c := range token {
		if c < '0' || c > '9' || n > len(v.Items) {
			return nil
		}
		n = n*10 + int(c-'0')
	}
	if token == "" || n >= len(v.Items) {
		return nil
	}
	return v.Items[n]
}

// resolveURI resolves ref against base (RFC 3986 §5); ref itself, if either does not parse.
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
