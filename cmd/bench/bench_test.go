package bench

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// options are the command line's. Without a program there is nothing to measure.
type options struct {
	tenon, rival string // programs; no rival: only tenon is measured
	model        string // a GGUF that people use; empty: its rows are left out
	// declarations in MCP's form, and a chat template that renders tools
	tools, template string
	work            string
	runs, threads   int
	least           float64 // of llama-server's speed with one stream
	only            *regexp.Regexp
}

var opts options

func init() {
	o := &opts
	flag.StringVar(&o.tenon, "bench.tenon", "", "the program to measure")
	flag.StringVar(&o.rival, "bench.llama-server", "", "the program to compare with")
	flag.StringVar(&o.model, "bench.model", "", "a GGUF that people use")
	flag.StringVar(&o.tools, "bench.tools", "../../../shared/data/tools/github-mcp.json", "many tools, in MCP's form")
	flag.StringVar(&o.template, "bench.template", "../../../shared/data/templates/Qwen-Qwen3-0.6B.jinja", "a chat template that renders tools")
	flag.Float64Var(&o.least, "bench.least", 0.95, "the share of llama-server's speed that one stream must reach; 1 with libllama")
	flag.StringVar(&o.work, "bench.work", "../../build/bench", "folder for the random model and the servers' logs")
	flag.IntVar(&o.runs, "bench.runs", 5, "runs of each measurement")
	flag.IntVar(&o.threads, "bench.threads", 2, "threads of each server")
	o.only = regexp.MustCompile("")
	flag.Func("bench.only", "measure only rows whose name matches this regular expression", func(text string) (err error) {
		o.only, err = regexp.Compile(text)
		return err
	})
}

func TestBench(t *testing.T) {
	if opts.tenon == "" {
		t.Skip("make bench builds what it needs and runs it")
	}
	if err := os.MkdirAll(opts.work, 0o755); err != nil {
		t.Fatal(err)
	}
	// the servers end with it
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, opts); err != nil {
		t.Fatal(err)
	}
}

func run(ctx context.Context, o options) error {
	b := &bench{options: o}
	fmt.Printf("%d threads, medians of %d runs, %s\n", o.threads, o.runs, load())
	for _, m := range []model{
		{name: "real model", path: func() (string, error) { return o.model, nil }, sentences: 90, real: true},
		{name: "0.6B shape", path: func() (string, error) { return randomModel(o.work) }, sentences: 36},
	} {
		if err := b.measureModel(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	if err := b.measureTools(ctx); err != nil {
		return fmt.Errorf("117 tools: %w", err)
	}
	if err := b.measureDrafts(ctx); err != nil {
		return fmt.Errorf("drafts: %w", err)
	}
	if err := b.measureAgents(ctx); err != nil {
		return fmt.Errorf("agents: %w", err)
	}
	if err := b.measureRestart(ctx); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	if err := b.measureSession(ctx); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	if err := b.measureSharers(ctx); err != nil {
		return fmt.Errorf("shared beginnings: %w", err)
	}
	if err := b.measureStart(ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if err := b.measureRemote(ctx); err != nil {
		return fmt.Errorf("in front of llama-server: %w", err)
	}
	if err := b.measureServer(ctx); err != nil {
		return fmt.Errorf("the server's own time: %w", err)
	}
	b.print(os.Stdout)
	return nil
}

// randomModel writes a model of random weights in the shape of Qwen3 0.6B, once.
func randomModel(work string) (string, error) {
	path := filepath.Join(work, "random-0.6b-q8_0.gguf")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	o := tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 1, Shape: tinymodel.Shape600M, Weights: tinymodel.Q8_0}
	if err := tinymodel.WriteFile(path+".part", o); err != nil {
		return "", err
	}
	return path, os.Rename(path+".part", path)
}

// load is how busy the machine is, where the kernel tells it.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "load unknown"
	}
	var one, five string
	_, _ = fmt.Sscan(string(data), &one, &five) // empty is fine
	return "load " + one + " " + five
}
