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

// modelTemplate reads the chat template that a model is served with, and what it must know of the model's vocabulary. The model is named
// as for 'tenon serve': a file or a folder with one, a reference to fetch it by, or an id or alias under which it is served.
func modelTemplate(cmd *cobra.Command, name string) (string, templates.Options, error) {
	e, err := findModel(cmd, name)
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

// findModel is the catalogue's entry of a model. A file that is there is taken as it is; of other names the settings decide, which come
// from the environment and the file that TENON_CONFIG names.
func findModel(cmd *cobra.Command, name string) (catalog.Entry, error) {
	info, missing := os.Stat(name)
	if missing == nil && !info.IsDir() {
		return catalog.Entry{Path: name}, nil
	}
	loader := config.Register(pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError))
	if err := loader.Load(os.Environ()); err != nil {
		return catalog.Entry{}, err
	}
	if missing == nil || strings.HasPrefix(name, "hf:") || strings.Contains(name, "://") {
		return onlyModel(cmd, loader, name)
	}
	c := &catalog.Catalog{}
	if loader.Settings.ModelsDir != "" || len(loader.Models) > 0 {
		var err error
		if c, _, _, err = catalogue(fetchFor(cmd), loader, nil); err != nil {
			return catalog.Entry{}, err
		}
	}
	if dir, err := store.DefaultDir(); err == nil { // what was fetched before is served by its id
		_, _ = c.Add(dir)
	}
	if e, ok := c.Find(name); ok {
		return e, nil
	}
	return catalog.Entry{}, fmt.Errorf("there is no file and no model %q%s; there is: %s", name, config.DidYouMean(name, c.Names()), orNone(strings.Join(c.Names(), ", ")))
}

// onlyModel is the model of a folder or a reference.
func onlyModel(cmd *cobra.Command, l *config.Loader, name string) (catalog.Entry, error) {
	c, named, _, err := catalogue(fetchFor(cmd), l, []string{name})
	if err != nil {
		return catalog.Entry{}, err
	}
	if len(named) != 1 {
		return catalog.Entry{}, fmt.Errorf("%s holds %d models; name one: %s", name, len(named), strings.Join(named, ", "))
	}
	e, _ := c.Find(named[0]) // the catalogue has just said so
	return e, nil
}
