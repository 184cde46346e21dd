package source

// Set is a schema document, with the documents that its references lead to.
type Set struct {
	Root   *Value
	Main   *Resource // the one that Root begins
	Tracks bool      // some unevaluatedItems or unevaluatedProperties exists

	NoScope *Scope // before anything is entered

	o         Options
	roots     map[*Value]*Resource
	resources map[string]*Resource
	scopes    map[scopeStep]*Scope
	allScopes []*Scope
	invalid   *Error
}

// Options say how to read a document.
type Options struct {
	Draft Draft // of documents without $schema
	// documents that references may lead to, by absolute URI. Nothing is ever fetched
	Documents map[string][]byte
	MaxDepth  int // of nesting
	MaxBytes  int // of one of Documents
}

// Error says that a text is not a JSON Schema: not JSON, or a keyword of a form that JSON Schema
// forbids.
type Error struct {
	Pointer string // RFC 6901, of the offending keyword
	Why     string
}

func (e *Error) Error() string {
	return "invalid JSON Schema at " + Shown(e.Pointer) + ": " + e.Why
}

// Shown returns a pointer as people read it.
func Shown(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return pointer
}

// Read reads a schema document and visits every schema in it. The error is an *Error.
func Read(text string, o Options) (*Set, error) {
	v, err := Decode(text, o.MaxDepth)
	if err != nil {
		return nil, &Error{Why: "not JSON: " + err.Error()}
	}
	if v.Kind != Object && v.Kind != Bool {
		return nil, &Error{Why: "a schema is an object or a boolean"}
	}
	s := &Set{Root: v, o: o, roots: map[*Value]*Resource{}, resources: map[string]*Resource{}, scopes: map[scopeStep]*Scope{}}
	s.NoScope = s.internScope(&Scope{})
	s.Main = &Resource{Draft: o.Draft}
	s.Main = s.register(v, "", o.Draft)
	s.check(v, s.Main)
	if s.invalid != nil {
		return nil, s.invalid
	}
	return s, nil
}
