package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

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
	return fmt.Sprintf("%q may be any of %s; write more of the name", e.Name, strings.Join(e.Candidates, ", "))
}

// lookAgain is how old what was seen of the places may be.
const lookAgain = 2 * time.Second

// All returns every model.
func (c *Catalog) All() []Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) > lookAgain {
		c.refresh()
	}
	return slices.Clone(c.Entries)
}

// Find returns the entry whose id or alias a name is, in any case. "" means the only entry.
func (c *Catalog) Find(name string) (Entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(name); i >= 0 {
		return c.Entries[i], true
	}
	return Entry{}, false
}

func (c *Catalog) find(name string) int {
	if name == "" && len(c.Entries) == 1 {
		return 0
	}
	return slices.IndexFunc(c.Entries, func(e Entry) bool {
		return strings.EqualFold(e.ID, name) || slices.ContainsFunc(e.Aliases, func(a string) bool { return strings.EqualFold(a, name) })
	})
}

// Names returns every id and alias.
func (c *Catalog) Names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.names()
}

func (c *Catalog) names() []string {
	var names []string
	for _, e := range c.Entries {
		names = append(append(names, e.ID), e.Aliases...)
	}
	return names
}

// Resolve returns the model that a name means: an id or an alias; else, in any case and with
// :quant or @quant behind it, a repository (owner/name, with -GGUF or without), a file, or a part
// of a name that begins a word of only one model. The first of these that any model meets
// decides. Errors are *NotFoundError and *AmbiguousError.
func (c *Catalog) Resolve(name string) (Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, err := c.resolve(name)
	if err != nil && time.Since(c.looked) > lookAgain && len(c.places) > 0 {
		c.refresh()
		i, err = c.resolve(name)
	}
	if err != nil {
		return Entry{}, err
	}
	return c.Entries[i], nil
}

func (c *Catalog) resolve(name string) (int, error) {
	if i := c.find(name); i >= 0 {
		return i, nil
	}
	if name == "" {
		return 0, &NotFoundError{Known: c.names()}
	}
	wanted := readName(name)
	for _, meets := range []func(wantedName, Entry) bool{wantedName.isRepo, wantedName.isRepoName, wantedName.isFile, wantedName.isPart} {
		var found []int
		for i, e := range c.Entries {
			if meets(wanted, e) && wanted.hasQuant(e) {
				found = append(found, i)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			ids := make([]string, len(found))
			for n, i := range found {
				ids[n] = c.Entries[i].ID
			}
			return 0, &AmbiguousError{Name: name, Candidates: ids}
		}
	}
	return 0, &NotFoundError{Name: name, Known: c.names()}
}

// wantedName is a name as somebody typed it, in lower case.
type wantedName struct {
	base, quant string
}

var quantPattern = regexp.MustCompile(`^(i?q\d|t?q\d|bf16|f16|f32|mxfp4|fp16)`)

func readName(name string) wantedName {
	base := strings.TrimPrefix(strings.ToLower(name), "hf:")
	w := wantedName{base: strings.TrimSuffix(base, ".gguf")}
	if at := strings.LastIndexAny(base, ":@"); at > 0 && quantPattern.MatchString(base[at+1:]) {
		w.base, w.quant = base[:at], base[at+1:]
	}
	return w
}

func (w wantedName) hasQuant(e Entry) bool {
	return w.quant == "" || strings.EqualFold(e.Quantization, w.quant) || beginsWord(stem(e.Path), w.quant)
}

func plainRepo(repo string) string { return strings.TrimSuffix(strings.ToLower(repo), "-gguf") }

func (w wantedName) isRepo(e Entry) bool {
	return e.Repo != "" && plainRepo(e.Repo) == plainRepo(w.base)
}

func (w wantedName) isRepoName(e Entry) bool {
	_, name, ok := strings.Cut(plainRepo(e.Repo), "/")
	return ok && name == plainRepo(w.base)
}

func (w wantedName) isFile(e Entry) bool {
	path := strings.TrimSuffix(strings.ToLower(e.Path), ".gguf")
	return stem(e.Path) == w.base || path == w.base || strings.Contains(w.base, "/") && strings.HasSuffix(path, "/"+w.base)
}

func (w wantedName) isPart(e Entry) bool {
	return len(w.base) > 1 && (beginsWord(e.ID, w.base) || beginsWord(e.Repo, w.base))
}

// beginsWord tells whether a part of a name, in any case, begins where a word of it does.
func beginsWord(name, part string) bool {
	name = strings.ToLower(name)
	for from := 0; ; {
		at := strings.Index(name[from:], part)
		if at < 0 {
			return false
		}
		at += from
		if at == 0 || !isLetterOrDigit(name[at-1]) {
			return true
		}
		from = at + 1
	}
}

func isLetterOrDigit(b byte) bool { return unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b)) }
