package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenon/cmd/config"
	"tenon/models/catalog"
	"tenon/models/gguf"
	"tenon/models/store"
	"tenon/templates"
)

// modelTemplate reads the chat template that a model is served with, and what it must know of the
// model's vocabulary. The model is named as for 'tenon serve': a file or a folder with one, a
// reference to fetch it by, or an id or alias under which it is served.
func modelTemplate(cmd *cobra.Command, name string) (string, templates.Options, error) {
	e, _, err := findModel(cmd, name)
	if err != nil {
		return "", templates.Options{}, err
	}
	file, err := gguf.Open(e.Path)
	if err != nil {
		return "", templates.Options{}, err
	}
	source := file.String("tokenizer.chat_template")
	if e.Template != "" {
		b, err := os.ReadFile(e.Template)
		if err != nil {
			return "", templates.Options{}, fmt.Errorf("chat-template-file: %w", err)
		}
		source = string(b)
	}
	return source, vocabulary(file), nil
}

// findModel is the catalogue's entry of a model, and what is set for it. A file that is there is
// taken as it is; of other names the settings decide, which come from the environment and the file
// that TENON_CONFIG names.
func findModel(cmd *cobra.Command, name string) (catalog.Entry, perModel, error) {
	loader := config.Register(pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError))
	if err := loader.Load(os.Environ()); err != nil {
		return catalog.Entry{}, perModel{}, err
	}
	info, missing := os.Stat(name)
	switch {
	case missing == nil && !info.IsDir():
		return fileEntry(newPerModel(loader), name)
	case missing == nil || strings.HasPrefix(name, "hf:") || strings.Contains(name, "://"):
		return onlyModel(cmd, loader, name)
	}
	c, settings, err := atHand(cmd, loader)
	if err != nil {
		return catalog.Entry{}, settings, err
	}
	if e, ok := c.Find(name); ok {
		return e, settings, nil
	}
	return catalog.Entry{}, settings, fmt.Errorf("there is no file and no model %q%s; there is: %s", name, config.DidYouMean(name, c.Names()), orNone(strings.Join(c.Names(), ", ")))
}

// fileEntry is a file's entry, with the settings of the model that it is served as.
func fileEntry(settings perModel, path string) (catalog.Entry, perModel, error) {
	c := &catalog.Catalog{}
	_, _ = c.Add(path) // of what cannot be served the template may still be looked at
	if len(c.Entries) == 0 {
		return catalog.Entry{Path: path}, settings, nil
	}
	e := c.Entries[0]
	for _, m := range settings.loader.Models {
		if found, ok := c.Find(m.Name); ok && found.ID == e.ID {
			settings.entries[e.ID] = m
			settings.set(&e)
		}
	}
	return e, settings, nil
}

// atHand is what a server with these settings would serve, and what is in the store.
func atHand(cmd *cobra.Command, l *config.Loader) (c *catalog.Catalog, p perModel, err error) {
	c, p = &catalog.Catalog{}, newPerModel(l)
	if l.Settings.ModelsDir != "" || len(l.Models) > 0 {
		c, _, p, err = catalogue(fetchFor(cmd), l, nil)
	}
	if dir, noHome := store.DefaultDir(); noHome == nil && err == nil {
		_, _ = c.Add(dir) // a store that is not there holds nothing
	}
	return c, p, err
}

// onlyModel is the model of a folder or a reference.
func onlyModel(cmd *cobra.Command, l *config.Loader, name string) (catalog.Entry, perModel, error) {
	c, named, settings, err := catalogue(fetchFor(cmd), l, []string{name})
	if err != nil {
		return catalog.Entry{}, settings, err
	}
	if len(named) != 1 {
		return catalog.Entry{}, settings, fmt.Errorf("%s holds %d models; name one: %s", name, len(named), strings.Join(named, ", "))
	}
	e, _ := c.Find(named[0]) // the catalogue has just said so
	return e, settings, nil
}
