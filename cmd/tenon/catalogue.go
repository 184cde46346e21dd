package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tenon/cmd/config"
	"tenon/models/catalog"
	"tenon/models/store"
	"tenon/templates/jinja"
)

// nothingError: there is no model to serve.
type nothingError struct {
	folders []string // that were looked through
}

func (e *nothingError) Error() string {
	if len(e.folders) > 0 {
		return fmt.Sprintf("no model to serve: no .gguf file that can be served is in %s; put one there, or name one (tenon serve hf:owner/repo:quant)", strings.Join(e.folders, ", "))
	}
	return "no model to serve: name one (tenon serve model.gguf) or a folder (--models-dir)"
}

// fetcher fetches models that settings name.
type fetcher struct {
	bring func(name string) (path string, err error) // what is a path already stays one
	// settings of models that are not there are passed over
	lenient bool
}

// errNotFetched: a model that the settings name is still to be fetched. Who only looks does
// without.
var errNotFetched = errors.New("it is not fetched yet")

// atHand is a fetcher that takes from the store what is there, and brings only what is wanted.
func atHand(cmd *cobra.Command, wanted ...string) fetcher {
	return fetcher{bring: func(name string) (string, error) {
		kept, err := openStore()
		if err != nil {
			return "", err
		}
		ref, err := store.ParseRef(name)
		if err != nil {
			return "", err
		}
		if slices.Contains(wanted, name) || ref.Path != "" {
			return fetchFor(cmd).bring(name)
		}
		if path, ok := kept.Here(ref); ok {
			return path, nil
		}
		return "", fmt.Errorf("%s: %w", name, errNotFetched)
	}}
}

// fetchFor is the fetcher of a command, which shows how far it is.
func fetchFor(cmd *cobra.Command) fetcher {
	return fetcher{bring: func(name string) (string, error) { return pullShown(cmd, name, pullSilence, func(store.Progress) {}) }}
}

// catalogue finds every model to serve and what is set for each; named are the ids of those to
// load at start.
func catalogue(fetch fetcher, l *config.Loader, args []string) (*catalog.Catalog, []string, perModel, error) {
	c, p, s := &catalog.Catalog{}, newPerModel(l), l.Settings
	if err := p.check(); err != nil {
		return nil, nil, p, err
	}
	for _, fault := range p.faults {
		slog.Warn("an adapter is left out", "error", fault)
	}
	var named []string // those among args that only the models at hand can tell
	for _, arg := range args {
		if isName(arg) {
			named = append(named, arg)
			continue
		}
		path, err := fetch.bring(arg)
		if err != nil {
			return nil, nil, p, err
		}
		if err := addModels(c, path); err != nil {
			return nil, nil, p, err
		}
	}
	atStart := len(c.Entries)
	if s.ModelsDir != "" {
		if err := watch(c, catalog.Place{Kind: catalog.Folder, Dir: s.ModelsDir}); err != nil {
			return nil, nil, p, err
		}
	}
	if s.FindModels || len(named) > 0 || len(args) == 0 && s.ModelsDir == "" && !p.sourced() {
		if err := watch(c, places()...); err != nil {
			return nil, nil, p, err
		}
	}
	if err := p.apply(fetch, c); err != nil {
		return nil, nil, p, err
	}
	if err := keepNames(c); err != nil {
		return nil, nil, p, err
	}
	if len(c.Entries) == 0 && len(named) == 0 {
		return nil, nil, p, &nothingError{slices.DeleteFunc(append(slices.Clone(args), s.ModelsDir), func(dir string) bool { return dir == "" })}
	}
	for _, a := range s.Alias {
		name, model, _ := strings.Cut(a, "=")
		if err := c.Alias(name, model); err != nil {
			if _, ok := c.Find(model); model != "" && !ok {
				err = fmt.Errorf("%w%s", err, config.DidYouMean(model, c.Names()))
			}
			return nil, nil, p, err
		}
	}
	if name := s.DefaultModel; name != "" {
		if _, ok := c.Find(name); !ok {
			return nil, nil, p, fmt.Errorf("default-model: there is no model %q%s; there is: %s", name, config.DidYouMean(name, c.Names()), strings.Join(c.Names(), ", "))
		}
	}
	first, err := p.first(c, atStart, named)
	return c, first, p, err
}

// first are the ids of the models to load at start: the fetched ones, which stand first, those
// that were named, and those that stay.
func (p perModel) first(c *catalog.Catalog, fetched int, named []string) ([]string, error) {
	var ids []string
	for _, e := range c.Entries[:fetched] {
		ids = append(ids, e.ID)
	}
	for _, name := range named {
		e, err := c.Resolve(name)
		if err != nil {
			return nil, noModel(c, name, err)
		}
		ids = append(ids, e.ID)
	}
	for _, e := range c.Entries {
		if p.entries[e.ID].Pin && !slices.Contains(ids, e.ID) {
			ids = append(ids, e.ID)
		}
	}
	return ids, nil
}

// isName tells whether an argument is neither a path nor a reference, but a model's name.
func isName(arg string) bool {
	ref, err := store.ParseRef(arg)
	if err != nil || ref.Path == "" {
		return false
	}
	_, err = os.Stat(arg)
	return err != nil
}

// noModel says what there is in the place of a model that was named.
func noModel(c *catalog.Catalog, name string, err error) error {
	var missing *catalog.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	return fmt.Errorf("there is no file and no model %q%s; there is: %s", name, config.DidYouMean(name, c.Names()), orNone(strings.Join(c.Names(), ", ")))
}

// keepNames gives models the names that 'tenon alias' has given them.
func keepNames(c *catalog.Catalog) error {
	dir, err := store.DefaultDir()
	if err != nil {
		return nil //nolint:nilerr // without a store no name was given
	}
	return c.KeepNames(filepath.Join(dir, "names.json"))
}

// checkTemplate tells what is wrong with a chat template that is named in place of the model's
// own. A model's own template that is broken is replaced; one that a user has named is an error.
func checkTemplate(file string) error {
	if file == "" {
		return nil
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if _, err := jinja.Parse(string(source)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// places are where models lie that programs have fetched.
func places() []catalog.Place {
	all := catalog.KnownPlaces(os.Getenv)
	if dir, err := store.DefaultDir(); err == nil {
		all = append([]catalog.Place{{Kind: catalog.OwnStore, Dir: dir}}, all...)
	}
	return all
}

// watch adds what places hold, now and whenever something new is there.
func watch(c *catalog.Catalog, all ...catalog.Place) error {
	for _, p := range all {
		if _, err := os.ReadDir(p.Dir); err != nil && p.Kind == catalog.Folder {
			return fmt.Errorf("read the model folder: %w", err)
		}
		for _, err := range c.Look(p) {
			slog.Warn("model file passed over", "error", err)
		}
	}
	return nil
}

func addModels(c *catalog.Catalog, path string) error {
	skipped, err := c.Add(path)
	for _, s := range skipped {
		slog.Warn("model file passed over", "error", s)
	}
	return err
}
