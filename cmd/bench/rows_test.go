package bench

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

// model is a file to measure with, and how often a sentence is said for a prompt of some 900
// tokens of its vocabulary.
type model struct {
	name      string
	path      func() (string, error) // called if a row wants it; empty: its rows are left out
	sentences int
	// it is what people use: it is measured beside a busy process and with many requests, too
	real bool
}

const decodeTokens = 128

// figure measures one thing once.
type figure func(ctx context.Context, c *contender) (float64, error)

// part is a row and what measures it.
type part struct {
	row
	measure func(context.Context, []*contender, row) error
}

// measureModel measures what depends on the model's speed.
func (b *bench) measureModel(ctx context.Context, m model) error {
	parts := b.parts(m)
	path, err := m.path()
	if len(parts) == 0 || path == "" || err != nil {
		return err
	}
	all, stop, err := b.contenders(ctx, path, false, "--ctx-size", "8192", "--parallel", "4")
	if err != nil {
		return err
	}
	defer stop()
	for _, p := range parts {
		if err := p.measure(ctx, all, p.row); err != nil {
			return err
		}
	}
	return nil
}

// parts are a model's rows, as far as they are asked for.
func (b *bench) parts(m model) []part {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", m.sentences)
	prompt := func(ctx context.Context, c *contender) (float64, error) {
		a, err := c.complete(ctx, nonce()+text, 1)
		return a.perSecond(a.prompt), err
	}
	parts := []part{
		{row{what: "prompt of 900 tokens", unit: "tok/s", least: b.least}, b.each(prompt)},
		{row{what: "decode", unit: "tok/s", least: b.least}, b.each(decode)},
		{row{what: "4 streams", unit: "tok/s", least: 1.8}, b.each(concurrent(4))},
	}
	if m.real {
		parts = append(parts,
			part{row{what: "decode under a tool's grammar", unit: "tok/s", least: 0.97}, b.measureGrammar},
			part{row{what: "decode beside a busy process", unit: "tok/s", least: 2}, b.measureBusy},
			part{row{what: "8 streams", unit: "tok/s", least: 1.8}, b.measureEight},
			part{row{what: "server's memory after 100 requests", unit: "MiB", most: 80}, b.measureMemory})
	}
	for i := range parts {
		parts[i].what = m.name + ": " + parts[i].what
	}
	return slices.DeleteFunc(parts, func(p part) bool { return !b.only.MatchString(p.what) })
}

func decode(ctx context.Context, c *contender) (float64, error) {
	a, err := c.complete(ctx, nonce()+"Once upon a time there was", decodeTokens)
	return a.perSecond(a.generated), err
}

// concurrent is the sum of so many streams.
func concurrent(streams int) figure {
	return func(ctx context.Context, c *contender) (float64, error) {
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
}

// measureEight has servers of its own, which have a slot for each stream.
func (b *bench) measureEight(ctx context.Context, _ []*contender, r row) error {
	all, stop, err := b.contenders(ctx, b.model, false, "--ctx-size", "8192", "--parallel", "8")
	if err != nil {
		return err
	}
	defer stop()
	return b.each(concurrent(8))(ctx, all, r)
}

// nonce begins a prompt that no cache has seen.
func nonce() string { return fmt.Sprintf("%08x ", rand.Uint32()) }

// measureGrammar compares tenon with itself: a call under a tool's grammar, and as many tokens of
// text without. The prompt is cached.
func (b *bench) measureGrammar(ctx context.Context, all []*contender, r row) error {
	c := all[0]
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
func (b *bench) measureBusy(ctx context.Context, all []*contender, r row) error {
	ctx, stop := context.WithCancel(ctx)
	busy := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
	if err := busy.Start(); err != nil {
		stop()
		return fmt.Errorf("start a busy process: %w", err)
	}
	defer func() { _ = busy.Wait() }() // it was killed
	defer stop()
	return b.each(decode)(ctx, all, r)
}

func (b *bench) measureMemory(ctx context.Context, all []*contender, r row) error {
	c := all[0]
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
	if b.model == "" || !b.only.MatchString(warm.what) {
		return nil
	}
	tools, err := declarations(b.tools)
	if err != nil {
		b.add(row{what: warm.what, note: "left out: " + err.Error()})
		return nil
	}
	all, stop, err := b.contenders(ctx, b.model, false, "--ctx-size", "40960", "--chat-template-file", b.template)
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
	if err := b.compare(ctx, all, cold, turn, 1); err != nil { // a minute each
		return err
	}
	return b.compare(ctx, all, warm, turn, b.runs)
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

// measureServer takes the figures of the server's own benchmark: a conversation of 2,000 tokens on
// an engine that costs nothing.
func (b *bench) measureServer(ctx context.Context) error {
	r := row{what: "the server's own time, 2,000 tokens of conversation", unit: "ms", most: 2}
	if !b.only.MatchString(r.what) {
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

// each measures all contenders in turn, after one run that warms them up.
func (b *bench) each(f figure) func(context.Context, []*contender, row) error {
	return func(ctx context.Context, all []*contender, r row) error {
		for _, c := range all {
			if _, err := f(ctx, c); err != nil {
				return err
			}
		}
		return b.compare(ctx, all, r, f, b.runs)
	}
}

// compare measures all contenders in turn, so many times.
func (b *bench) compare(ctx context.Context, all []*contender, r row, f figure, runs int) error {
	figures := make([][]float64, len(all))
	for range runs {
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
