package source

import (
	"errors"
	"testing"
)

func mustRead(t *testing.T, text string, documents map[string][]byte) *Set {
	t.Helper()
	s, err := Read(text, Options{MaxDepth: 100, MaxBytes: 100_000, Documents: documents})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestResolve_leadsWhereReferencesPoint: pointers, anchors, ids, documents and metaschemas.
func TestResolve_leadsWhereReferencesPoint(t *testing.T) {
	s := mustRead(t, `{"$id":"http://a.example/root.json","$defs":{
		"a/b":{"const":1},"c":{"$anchor":"here","const":2},"list":{"allOf":[true,{"const":3}]},
		"inner":{"$id":"inner.json","$defs":{"x":{"$anchor":"here","const":4}}}}}`,
		map[string][]byte{"http://b.example/other": []byte(`{"$defs":{"y":{"const":5}}}`), "http://b.example/broken": []byte(`{"type":1}`)})
	for ref, want := range map[string]string{
		"#/$defs/a~1b": "1", "#here": "2", "#/$defs/list/allOf/1": "3", "inner.json#here": "4", "http://a.example/inner.json#/$defs/x": "4",
		"http://b.example/other#/$defs/y": "5", "root.json#/%24defs/c": "2",
	} {
		target, why := s.Resolve(s.Main, ref)
		if why != "" || target.Value.Get("const") == nil || target.Value.Get("const").Text != want {
			t.Errorf("%s: %+v (%s)", ref, target, why)
		}
	}
	for _, ref := range []string{"#/$defs/z", "#gone", "#/$defs/list/allOf/2", "#/$defs/list/allOf/x", "http://c.example/", "http://b.example/broken"} {
		if target, why := s.Resolve(s.Main, ref); why == "" {
			t.Errorf("%s leads to %+v", ref, target)
		}
	}
	if target, why := s.Resolve(s.Main, "http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger"); why != "" || target.Resource.Draft != Draft7 {
		t.Errorf("%+v (%s)", target, why)
	}
}

// TestPlace_namesTheDocument where it is not the main one.
func TestPlace_namesTheDocument(t *testing.T) {
	s := mustRead(t, `{"$defs":{"a~":{}}}`, map[string][]byte{"http://b.example/other": []byte(`{"$defs":{"y":{}}}`)})
	own, _ := s.Resolve(s.Main, "#/$defs/a~0")
	other, _ := s.Resolve(s.Main, "http://b.example/other#/$defs/y")
	if a, b := s.Place(own.Value), s.Place(other.Value); a != "/$defs/a~0" || b != "http://b.example/other#/$defs/y" {
		t.Error(a, b)
	}
}

// TestScope_theOutermostAnchorWins: that is what $dynamicRef is for.
func TestScope_theOutermostAnchorWins(t *testing.T) {
	s := mustRead(t, `{"$id":"http://a.example/","$dynamicAnchor":"node","$defs":{"tree":{"$id":"tree","$dynamicAnchor":"node"}}}`, nil)
	tree, _ := s.Resolve(s.Main, "tree")
	target, _ := s.Resolve(tree.Resource, "#node")
	within := s.Enter(s.Enter(s.NoScope, s.Main), tree.Resource)
	if got := target.Dynamic(within); got.Value != s.Root {
		t.Errorf("%+v", got)
	}
	if got := target.Dynamic(s.Enter(s.NoScope, tree.Resource)); got.Value != tree.Value {
		t.Errorf("%+v", got)
	}
	if again := s.Enter(s.Enter(s.NoScope, s.Main), tree.Resource); again != within {
		t.Error("equal scopes differ")
	}
}

// TestRead_saysWhatIsNoSchema, and where. Keywords that a dialect lacks are not checked.
func TestRead_saysWhatIsNoSchema(t *testing.T) {
	for text, pointer := range map[string]string{
		`[]`: "", `{`: "", `{"type":1}`: "/type", `{"properties":{"a":{"minLength":-1}}}`: "/properties/a/minLength", `{"allOf":{}}`: "/allOf",
		`{"items":[1]}`: "/items/0", `{"required":[1]}`: "/required", `{"multipleOf":0}`: "/multipleOf", `{"enum":1}`: "/enum", `{"uniqueItems":1}`: "/uniqueItems",
		`{"dependentRequired":{"a":[1]}}`: "/dependentRequired", `{"pattern":1}`: "/pattern", `{"maximum":"1"}`: "/maximum",
	} {
		_, err := Read(text, Options{MaxDepth: 100})
		var bad *Error
		if !errors.As(err, &bad) || bad.Pointer != pointer {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		`true`, `{"x-note":1}`, `{"$schema":"http://json-schema.org/draft-04/schema#","const":1,"if":1,"exclusiveMaximum":true}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#","type":1}`,
	} {
		if _, err := Read(text, Options{MaxDepth: 100}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestMetaschema_isASchema of its own draft, for all of them.
func TestMetaschema_isASchema(t *testing.T) {
	for name, d := range draftNames {
		s, err := Read(string(metaschema(d)), Options{MaxDepth: 100})
		if err != nil || s.Main.Draft != d || s.Root.Get("properties").Get("items") == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
