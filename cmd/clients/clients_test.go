package clients

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
	"testing"
)

// options are the command line's. Without a server there is nothing to run.
type options struct {
	only   string
	models string
	gguf   string
	tenon  string
	dir    string
	config string // settings of the server; "": none
	remote string // a server that has the real model loaded, behind tenon; "": tenon loads it
}

var opts options

func init() {
	o := &opts
	flag.StringVar(&o.only, "clients.only", "", "names of the clients to run, with commas between; empty: all")
	flag.StringVar(&o.models, "clients.models", "scripted,gemma", "which models: scripted, gemma, or both")
	flag.StringVar(&o.gguf, "clients.gguf", "", "the real model's file; needed for gemma")
	flag.StringVar(&o.tenon, "clients.tenon", "", "the server to run the real model with")
	flag.StringVar(&o.remote, "clients.remote", "", "the address of a server that has the real model loaded, such as a llama-server: tenon stands in front of it")
	flag.StringVar(&o.dir, "clients.dir", "../../build/clients", "where clients are installed and what they said is kept")
}

func TestClients(t *testing.T) {
	if opts.tenon == "" {
		t.Skip("make clients builds what it needs and runs it")
	}
	// clients end with it
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed, err := run(ctx, opts)
	if err != nil {
		t.Fatal(err)
	}
	if failed {
		t.Fail()
	}
}

func run(ctx context.Context, o options) (failed bool, err error) {
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return false, err
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
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
			if (c.waits > 0 || c.overflow != "" || c.handler != nil) && model != scripted || c.untaught && model == scripted {
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
