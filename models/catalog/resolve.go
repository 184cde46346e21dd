package catalog

import "fmt"

// NotFoundError: no model has the name.
type NotFoundError struct {
	Name  string
	Known []string // the names there are
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no model %q", e.Name) }

// AmbiguousError: several models have the name in theirs.
type AmbiguousError struct {
	Name       string
	Candidates []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q may be any of %q", e.Name, e.Candidates)
}

// All returns every model.
func (c *Catalog) All() []Entry { return c.Entries }

// Resolve returns the model that a name means, or a *NotFoundError or *AmbiguousError.
func (c *Catalog) Resolve(name string) (Entry, error) {
	e, ok := c.Find(name)
	if !ok {
		return Entry{}, &NotFoundError{Name: name, Known: c.Names()}
	}
	return e, nil
}
