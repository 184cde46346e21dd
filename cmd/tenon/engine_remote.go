package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"tenon/cmd/config"
	"tenon/engine"
	far "tenon/engine/remote"
	"tenon/engine/tokenjson"
	"tenon/engine/worker"
	"tenon/models/catalog"
)

// connect is the engine of a model that other machines serve. Its file, where it is here, gives
// the vocabulary: a worker reads a model's, as it reads models.
func connect(ctx context.Context, e catalog.Entry, log *slog.Logger) (engine.Engine, error) {
	o := far.Options{Name: e.ID, URLs: e.Remote.URLs, CA: e.Remote.CA, Context: e.Context, Log: log}
	var err error
	if o.Key, err = remoteKey(*e.Remote); err != nil {
		return nil, err
	}
	template, err := e.ChatTemplate("")
	if err != nil {
		return nil, err
	}
	markers := familyMarkers()
	switch {
	case e.Remote.Tokenizer != "":
		o.Vocabulary, err = tokenjson.Open(e.Remote.Tokenizer, tokenjson.Options{Template: template, Markers: markers})
	case e.Path != "":
		o.Vocabulary, err = worker.Start(ctx, worker.Options{
			Name: e.ID + " (vocabulary)", Model: e.Path, VocabOnly: true, Template: template, Markers: markers, Log: log,
		})
	}
	if err != nil {
		return nil, err
	}
	return far.Connect(ctx, o)
}

// served is what other machines say of a model.
func served(ctx context.Context, e catalog.Entry) (engine.Model, error) {
	on, err := connect(ctx, e, slog.Default())
	if err != nil {
		return engine.Model{}, err
	}
	defer func() { _ = on.Close() }() // it never fails
	return on.Model(), nil
}

// remoteKey reads the key that upstreams want.
func remoteKey(r catalog.Remote) (string, error) {
	switch {
	case r.KeyFile != "":
		b, err := os.ReadFile(r.KeyFile)
		return strings.TrimSpace(string(b)), err
	case r.KeyEnv != "":
		key, ok := os.LookupEnv(r.KeyEnv)
		if !ok {
			return "", fmt.Errorf("the environment has no %s, which holds the key of an upstream", r.KeyEnv)
		}
		return key, nil
	}
	return "", nil
}

// checkFallback tells whether there is something to load where nobody answers.
func checkFallback(m config.Model) error {
	if m.Remote.Fallback && (m.Source == "" || tokenjson.Folder(m.Source) != "") {
		return errors.New("goes with a source that is a GGUF file, which is loaded then")
	}
	return nil
}

// checkRemote tells what is wrong with where a model is served, before it is asked for.
func checkRemote(r catalog.Remote) error {
	for _, text := range r.URLs {
		if _, err := far.ParseAddress(text); err != nil {
			return err
		}
	}
	if len(r.URLs) == 0 && (r.KeyFile+r.KeyEnv+r.CA != "" || r.Fallback) {
		return errors.New("remote-key-file, remote-key-env, remote-ca and remote-fallback go with remote")
	}
	return nil
}
