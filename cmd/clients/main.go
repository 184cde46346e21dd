package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed, err := run(ctx, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
	}
	if err != nil || failed {
		stop()
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	only   string
	models string
	gguf   string
	tenon  string
	dir    string
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("clients", flag.ContinueOnError)
	f.StringVar(&o.only, "only", "", "names of the clients to run, with commas between; empty: all")
	f.StringVar(&o.models, "models", "scripted,gemma", "which models: scripted, gemma, or both")
	f.StringVar(&o.gguf, "gguf", "", "the real model's file; needed for gemma")
	f.StringVar(&o.tenon, "tenon", "bin/tenon", "the server to run the real model with")
	f.StringVar(&o.dir, "dir", "build/clients", "where clients are installed and what they said is kept")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	var err error
	o.dir, err = filepath.Abs(o.dir)
	return o, err
}

func run(ctx context.Context, args []string) (failed bool, err error) {
	o, err := parse(args)
	if err != nil {
		return false, err
	}
	chosen, err := choose(o.only)
	if err != nil {
		return false, err
	}
	install := &installer{dir: o.dir, node: "node", done: map[string]error{}}
	var results []result
	for _, model := range strings.Split(o.models, ",") {
		served, err := serve(ctx, o, model)
		if err != nil {
			return false, fmt.Errorf("serve %s: %w", model, err)
		}
		for _, c := range chosen {
			if ctx.Err() != nil {
				break
			}
			if c.waits > 0 && model != scripted {
				continue
			}
			r := attempt(ctx, install, c, served)
			fmt.Fprintf(os.Stderr, "%-18s %-9s %s\n", r.client, r.model, r.verdict())
			results = append(results, r)
		}
		served.close()
	}
	report(os.Stdout, results)
	return ctx.Err() != nil || slices.ContainsFunc(results, func(r result) bool { return len(r.faults) > 0 }), ctx.Err()
}

// choose finds the clients that are named; none named are all.
func choose(only string) ([]client, error) {
	if only == "" {
		return clients, nil
	}
	var chosen []client
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(clients, func(c client) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no client %q", name)
		}
		chosen = append(chosen, clients[i])
	}
	return chosen, nil
}
