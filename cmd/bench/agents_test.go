package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	agents      = 64
	agentTokens = 32 // of an answer
)

// measureAgents measures what many agents at once, and streams beside long prompts, get of a
// model.
func (b *bench) measureAgents(ctx context.Context) error {
	if b.model == "" {
		return nil
	}
	pause := row{what: "longest pause of a stream beside a prompt of 4,000 tokens", unit: "s", lower: true, most: 0.25}
	if b.only.MatchString(pause.what) {
		all, stop, err := b.contenders(ctx, b.model, false, "--ctx-size", "16384", "--parallel", "2")
		if err != nil {
			return err
		}
		defer stop()
		if err := b.compare(ctx, all, pause, longestPause, b.runs); err != nil {
			return err
		}
	}
	rows := map[string]figure{"64 agents": busyAgents(0), "64 agents with a shared beginning": busyAgents(40)}
	for _, what := range []string{"64 agents", "64 agents with a shared beginning"} {
		r := row{what: what, unit: "tok/s", least: 1}
		if !b.only.MatchString(r.what) {
			continue
		}
		if err := b.measureCrowd(ctx, r, rows[what]); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) measureCrowd(ctx context.Context, r row, f figure) error {
	all, stop, err := b.contenders(ctx, b.model, false, "--ctx-size", "65536", "--parallel", strconv.Itoa(agents))
	if err != nil {
		return err
	}
	defer stop()
	return b.compare(ctx, all, r, f, b.runs)
}

// longestPause is the longest time in seconds between two events of a stream while a prompt of
// 4,000 tokens is read.
func longestPause(ctx context.Context, c *contender) (float64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, err := c.stream(ctx, nonce()+"I count without end: 1, 2, 3, 4, 5, 6, 7, 8,", 4000)
	if err != nil {
		return 0, err
	}
	for range 20 { // it runs
		if _, open := <-events; !open {
			return 0, errors.New("the stream ended before the prompt came")
		}
	}
	read := make(chan error, 1)
	text := nonce() + strings.Repeat("The quick brown fox jumps over the lazy dog. ", 400)
	go func() {
		_, err := c.complete(ctx, text, 1)
		read <- err
	}()
	last, longest := time.Now(), time.Duration(0)
	for {
		select {
		case at, open := <-events:
			if !open {
				return 0, errors.New("the stream ended before the prompt was read")
			}
			longest, last = max(longest, at.Sub(last)), at
		case err := <-read:
			return max(longest, time.Since(last)).Seconds(), err
		}
	}
}

// stream has a text continued, and tells when each event came. The channel is closed at the end,
// or if there is no stream.
func (c *contender) stream(ctx context.Context, prompt string, tokens int) (<-chan time.Time, error) {
	body, err := json.Marshal(object{"model": c.model, "prompt": prompt, "max_tokens": tokens, "temperature": 0, "stream": true})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	events := make(chan time.Time, tokens)
	go func() {
		defer close(events)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return
		}
		defer func() { _ = resp.Body.Close() }()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "data: {") {
				events <- time.Now()
			}
		}
	}()
	return events, nil
}

// busyAgents is how many tokens in all, read or written, 64 agents get in a second who all come at
// once, each for two turns of which the second goes on from the first; so many sentences are what
// all begin with.
func busyAgents(shared int) figure {
	return func(ctx context.Context, c *contender) (float64, error) {
		tokens, errs := make([]int, agents), make([]error, agents)
		beginning := nonce() + strings.Repeat("The quick brown fox jumps over the lazy dog. ", shared)
		var all sync.WaitGroup
		begin := time.Now()
		for i := range agents {
			all.Go(func() { tokens[i], errs[i] = c.agent(ctx, beginning+nonce()) })
		}
		all.Wait()
		sum := 0
		for _, n := range tokens {
			sum += n
		}
		return answer{took: time.Since(begin)}.perSecond(sum), errors.Join(errs...)
	}
}

// agent is one's turns; it tells what they read and write.
func (c *contender) agent(ctx context.Context, text string) (int, error) {
	sum := 0
	for range 2 {
		text += strings.Repeat("A tool was called and this is what it found. ", 10)
		a, err := c.complete(ctx, text, agentTokens)
		if err != nil {
			return 0, err
		}
		sum += a.prompt + a.generated
		text += a.text
	}
	return sum, nil
}
