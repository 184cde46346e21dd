package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// bench measures, row by row.
type bench struct {
	options
	rows []row
}

// model is a file to measure with, and how often a sentence is said for a prompt of some 900 tokens of its vocabulary.
type model struct {
	name, path string
	sentences  int
	busy       bool // measured beside a busy process too
}

const (
	decodeTokens = 128
	streams      = 4
)

// figure measures one thing once.
type figure func(ctx context.Context, c *contender) (float64, error)

// measureModel measures what depends on the model's speed.
func (b *bench) measureModel(ctx context.Context, m model) error {
	all, stop, err := b.contenders(ctx, m.path, "--ctx-size", "8192", "--parallel", strconv.Itoa(streams))
	if err != nil {
		return err
	}
	defer stop()
	prompt := func(ctx context.Context, c *contender) (float64, error) {
		a, err := c.complete(ctx, nonce()+strings.Repeat("The quick brown fox jumps over the lazy dog. ", m.sentences), 1)
		return a.perSecond(a.prompt), err
	}
	if err := b.compare(ctx, all, row{what: m.name + ": prompt of 900 tokens", unit: "tok/s", least: 1}, prompt); err != nil {
		return err
	}
	if err := b.compare(ctx, all, row{what: m.name + ": decode", unit: "tok/s", least: 1}, decode); err != nil {
		return err
	}
	if err := b.compare(ctx, all, row{what: m.name + ": 4 streams, decode", unit: "tok/s", least: 1}, concurrent); err != nil {
		return err
	}
	if err := b.measureGrammar(ctx, m, all[0]); err != nil || !m.busy {
		return err
	}
	if err := b.measureBusy(ctx, m, all); err != nil {
		return err
	}
	return b.measureMemory(ctx, m, all[0])
}

func decode(ctx context.Context, c *contender) (float64, error) {
	a, err := c.complete(ctx, nonce()+"Once upon a time there was", decodeTokens)
	return a.perSecond(a.generated), err
}

func concurrent(ctx context.Context, c *contender) (float64, error) {
	tokens, errs := make([]int, streams), make([]error, streams)
	var all sync.WaitGroup
	begin := time.Now()
	for i := range streams {
		all.Go(func() {
			a, err := c.complete(ctx, nonce()+"Once upon a time there was", decodeTokens)
			tokens[i], errs[i] = a.generated, err
		})
	}
	all.Wait()
	sum := 0
	for _, n := range tokens {
		sum += n
	}
	return answer{took: time.Since(begin)}.perSecond(sum), errors.Join(errs...)
}

// nonce begins a prompt that no cache has seen.
func nonce() string { return fmt.Sprintf("%08x ", rand.Uint32()) }

// measureGrammar compares tenon with itself: a call under a tool's grammar, and as many tokens of text without. The prompt
// is cached.
func (b *bench) measureGrammar(ctx context.Context, m model, c *contender) error {
	r := row{what: m.name + ": decode under a tool's grammar, against without", unit: "tok/s", least: 0.97}
	if !b.wanted(r) {
		return nil
	}
	long := object{"type": "string", "minLength": 300, "maxLength": 400}
	body := func(choice string, tokens int) object {
		return object{
			"messages":    []object{{"role": "user", "content": "Write a story about a fox into story.txt."}},
			"tool_choice": choice, "max_tokens": tokens, "parallel_tool_calls": false,
			"tools": []object{{"type": "function", "function": object{"name": "write_file", "parameters": object{
				"type": "object", "required": []string{"path", "text"}, "additionalProperties": false,
				"properties": object{"path": object{"type": "string", "maxLength": 30}, "text": long}}}}},
		}
	}
	var with, without []float64
	for i := range b.runs + 1 {
		on, err := c.ask(ctx, "/v1/chat/completions", body("required", 600))
		if err != nil {
			return err
		}
		off, err := c.ask(ctx, "/v1/chat/completions", body("none", on.generated))
		if err != nil {
			return err
		}
		if i > 0 { // the first evaluates the prompts
			with, without = append(with, on.perSecond(on.generated)), append(without, off.perSecond(off.generated))
		}
	}
	r.ours, r.theirs, r.setting = median(with), median(without), "tenon without"
	b.add(r)
	return nil
}

// measureBusy is decode while another process keeps a core busy.
func (b *bench) measureBusy(ctx context.Context, m model, all []*contender) error {
	r := row{what: m.name + ": decode beside a busy process", unit: "tok/s", least: 2}
	if !b.wanted(r) {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	busy := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
	if err := busy.Start(); err != nil {
		stop()
		return fmt.Errorf("start a busy process: %w", err)
	}
	defer func() { _ = busy.Wait() }() // it was killed
	defer stop()
	return b.compare(ctx, all, r, decode)
}

func (b *bench) measureMemory(ctx context.Context, m model, c *contender) error {
	r := row{what: m.name + ": the server's memory after 100 requests", unit: "MiB", most: 80}
	if !b.wanted(r) {
		return nil
	}
	for range 100 {
		if _, err := c.complete(ctx, nonce()+"Once", 4); err != nil {
			return err
		}
	}
	var err error
	if r.ours, err = c.memory(ctx); err != nil {
		return err
	}
	b.add(r)
	return nil
}

// measureTools is a turn with many tools: with a prompt that is new, and the same again.
func (b *bench) measureTools(ctx context.Context) error {
	cold := row{what: "a turn with 117 tools, cold", unit: "s", lower: true}
	warm := row{what: "a turn with 117 tools, warm", unit: "s", lower: true, least: 1}
	if b.model == "" || !b.wanted(cold) && !b.wanted(warm) {
		return nil
	}
	tools, err := declarations(b.tools)
	if err != nil {
		b.add(row{what: warm.what, note: "left out: " + err.Error()})
		return nil
	}
	all, stop, err := b.contenders(ctx, b.model, "--ctx-size", "40960", "--chat-template-file", b.template)
	if err != nil {
		return err
	}
	defer stop()
	system := nonce()
	turn := func(ctx context.Context, c *contender) (float64, error) {
		a, err := c.ask(ctx, "/v1/chat/completions", object{"max_tokens": 32, "tools": tools, "messages": []object{
			{"role": "system", "content": system}, {"role": "user", "content": "List the open issues of octo/hello."}}})
		return a.took.Seconds(), err
	}
	once := &bench{options: b.options}
	once.runs, once.only = 1, regexp.MustCompile("") // a minute each
	if err := once.compareWarm(ctx, all, cold, turn); err != nil {
		return err
	}
	b.rows = append(b.rows, once.rows...)
	return b.compareWarm(ctx, all, warm, turn)
}

// declarations turns MCP's tools into those of Chat Completions.
func declarations(path string) ([]object, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []object
	for _, t := range list {
		out = append(out, object{"type": "function", "function": object{
			"name": t.Name, "description": t.Description, "parameters": t.InputSchema}})
	}
	return out, nil
}

// measureServer takes the figures of the server's own benchmark: a conversation of 2,000 tokens on an engine that costs nothing.
func (b *bench) measureServer(ctx context.Context) error {
	r := row{what: "the server's own time, 2,000 tokens of conversation", unit: "ms", most: 2}
	if !b.wanted(r) {
		return nil
	}
	out, err := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "BenchmarkRequest/chat-2k", "-benchtime", "500x", "./server").CombinedOutput()
	if err != nil {
		return fmt.Errorf("go test: %w: %s", err, out)
	}
	found := regexp.MustCompile(`([0-9.]+) p50-µs.* ([0-9]+) B/op\s+([0-9]+) allocs/op`).FindSubmatch(out)
	if found == nil {
		return fmt.Errorf("go test printed no median: %s", out)
	}
	r.ours, err = strconv.ParseFloat(string(found[1]), 64)
	r.ours /= 1000
	r.note = fmt.Sprintf("%s allocations, %s bytes", found[3], found[2])
	b.add(r)
	return err
}

// compare warms all contenders up and measures them in turn.
func (b *bench) compare(ctx context.Context, all []*contender, r row, f figure) error {
	if !b.wanted(r) {
		return nil
	}
	for _, c := range all {
		if _, err := f(ctx, c); err != nil {
			return err
		}
	}
	return b.compareWarm(ctx, all, r, f)
}

func (b *bench) compareWarm(ctx context.Context, all []*contender, r row, f figure) error {
	if !b.wanted(r) {
		return nil
	}
	figures := make([][]float64, len(all))
	for range b.runs {
		for i, c := range all {
			v, err := f(ctx, c)
			if err != nil {
				return err
			}
			figures[i] = append(figures[i], v)
		}
	}
	r.ours = median(figures[0])
	for i, c := range all[1:] {
		if v := median(figures[i+1]); i == 0 || r.lower == (v < r.theirs) {
			r.theirs, r.setting = v, c.name
		}
	}
	b.add(r)
	return nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

func (b *bench) wanted(r row) bool { return b.only.MatchString(r.what) }
