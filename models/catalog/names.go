package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// KeepNames gives models the names that a file holds, and has those that are given later written
// there.
func (c *Catalog) KeepNames(file string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file, c.given = file, map[string]string{}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &c.given)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the names of models in %s: %w", file, err)
	}
	for i := range c.Entries {
		c.name(i)
	}
	return nil
}

// Name gives a model another name, or takes one away that was given so, if model is "".
func (c *Catalog) Name(alias, model string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := -1
	if model != "" {
		if taken := c.find(alias); taken >= 0 {
			return fmt.Errorf("alias %q: %w: it means %s", alias, ErrTaken, c.Entries[taken].ID)
		}
		var err error
		if at, err = c.resolve(model); err != nil {
			return err
		}
	} else if _, ok := c.given[alias]; !ok {
		if at := c.find(alias); at >= 0 {
			return fmt.Errorf("name %q cannot be taken away: %w by the settings or the file of %s", alias, ErrTaken, c.Entries[at].ID)
		}
		return &NotFoundError{Name: alias, Known: slices.Sorted(maps.Keys(c.given))}
	}
	given := map[string]string{}
	maps.Copy(given, c.given)
	if delete(given, alias); at >= 0 {
		given[alias] = c.Entries[at].ID
	}
	if err := c.write(given); err != nil {
		return err
	}
	c.given = given
	c.Entries = slices.Clone(c.Entries) // who has the old list keeps it
	for i, e := range c.Entries {
		c.Entries[i].Aliases = slices.DeleteFunc(slices.Clone(e.Aliases), func(a string) bool { return at < 0 && strings.EqualFold(a, alias) })
		c.name(i)
	}
	return nil
}

// name gives an entry the names that were given to it, but what another has by now.
func (c *Catalog) name(i int) {
	for _, alias := range slices.Sorted(maps.Keys(c.given)) {
		if e := &c.Entries[i]; strings.EqualFold(c.given[alias], e.ID) && c.find(alias) < 0 {
			e.Aliases = append(slices.Clone(e.Aliases), alias)
		}
	}
}

func (c *Catalog) write(given map[string]string) error {
	if c.file == "" {
		return nil
	}
	text, err := json.MarshalIndent(given, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(c.file), 0o755)
	}
	if err == nil {
		err = os.WriteFile(c.file+".part", text, 0o644)
	}
	if err == nil {
		err = os.Rename(c.file+".part", c.file)
	}
	if err != nil {
		return fmt.Errorf("keep the name: %w", err)
	}
	return nil
}
