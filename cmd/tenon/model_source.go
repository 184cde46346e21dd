package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenon/cmd/config"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/gguf"
	"tenon/templates"
)

// modelTemplate is the chat template that a model is served with, and what it must know of the
// model's vocabulary.
func modelTemplate(e catalog.Entry) (string, templates.Options, error) {
	if e.Remote != nil && e.Path == "" {
		m, err := served(context.Background(), e)
		return m.Template, templates.Options{BOS: m.Vocab.BOS, EOS: m.Vocab.EOS}, err
	}
	file, err := gguf.Open(e.Path)
	if err != nil {
		return "", templates.Options{}, err
	}
	source, err := e.ChatTemplate(file.String("tokenizer.chat_template"))
	return source, vocabulary(file), err
}

// findModel is the catalogue's entry of a model, and what is set for it. It is named as for 'tenon
// serve'. The settings come from the environment and the file that TENON_CONFIG names.
func findModel(cmd *cobra.Command, name string) (catalog.Entry, perModel, error) {
	loader := config.Register(pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError))
	if err := loader.Load(os.Environ()); err != nil {
		return catalog.Entry{}, perModel{}, err
	}
	return lookUp(loader, atHand(cmd, name, loader.Entry(name).Source), name)
}

// lookUp is findModel with settings that are read. A file that is there is taken as it is; of
// other names the settings decide.
func lookUp(loader *config.Loader, fetch fetcher, name string) (catalog.Entry, perModel, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return fileEntry(newPerModel(loader), name)
	}
	c, named, settings, err := catalogue(fetch, loader, []string{name})
	if err != nil {
		return catalog.Entry{}, settings, err
	}
	// pinned ones follow
	named = slices.DeleteFunc(named, func(id string) bool { return settings.entries[id].Pin && id != named[0] })
	if len(named) > 1 {
		return catalog.Entry{}, settings, fmt.Errorf("%s holds %d models; name one: %s", name, len(named), strings.Join(named, ", "))
	}
	e, _ := c.Find(named[0]) // the catalogue has just said so
	return e, settings, nil
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

// alone does something with the models that a server with these settings would serve. None is no
// error.
func (r *remote) alone(cmd *cobra.Command, do func(*fleet.Fleet) error) error {
	fetch := atHand(cmd)
	fetch.lenient = true
	c, _, _, err := catalogue(fetch, r.loader, nil)
	var none *nothingError
	if errors.As(err, &none) {
		c = &catalog.Catalog{}
		err = keepNames(c)
	}
	if err != nil {
		return err
	}
	kept, err := openStore()
	if err != nil {
		return err
	}
	f := fleet.New(fleet.Options{Catalog: c, Store: kept})
	return errors.Join(do(f), f.Close())
}
