package clients

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"tenon/server/servertest/contract"
)

// result is a row of the table.
type result struct {
	client, model string
	requests      int
	statuses      map[int]int
	steps         string // of an SDK: how many passed
	// of one that judges packets by its schemas: how many, and how many were bad
	packets string
	took    time.Duration
	faults  []string
	refused []string // hosts that were asked for and not reached
}

// A row hangs when nothing moves for so long, or when it asks so often: agents ask ten to twenty
// times where a model's answers lead nowhere, and SDKs' scripts twenty to forty times.
const (
	patience     = 5 * time.Minute
	mostRequests = 100
)

// attempt runs one client against one model.
func attempt(ctx context.Context, i *installer, c client, to *served) result {
	r := result{client: c.name, model: to.model, statuses: map[int]int{}}
	dir, err := i.install(ctx, c.environment)
	if err != nil {
		r.faults = append(r.faults, "install: "+err.Error())
		return r
	}
	home := filepath.Join(i.dir, "homes", c.name+"-"+to.model)
	if err := furnish(home); err != nil {
		r.faults = append(r.faults, err.Error())
		return r
	}
	outside := &refuser{hosts: map[string]int{}}
	proxy := httptest.NewServer(outside)
	defer proxy.Close()
	s := &seat{model: to.id, real: to.model != scripted, context: to.context, secret: newSecret(), home: home, dir: dir, node: i.node, outer: proxy.URL, idle: c.idle()}
	handler, modelFaults, err := to.handler(ctx, c)
	if err != nil {
		r.faults = append(r.faults, err.Error())
		return r
	}
	server := s.sit(handler)
	defer server.Close()
	began := time.Now()
	guarded, stop := guard{patience: patience, most: cmp.Or(c.most, mostRequests), asked: s.asked, worked: to.worked}.watch(ctx)
	out, err := c.run(guarded, s)
	stop()
	r.took = time.Since(began)
	// what still runs is cancelled, and recorded before the verdict
	server.CloseClientConnections()
	r.judge(c, s, out, err)
	r.faults = append(r.faults, modelFaults()...)
	for host := range outside.hosts {
		r.refused = append(r.refused, host)
	}
	slices.Sort(r.refused)
	return r
}

// furnish makes a client's home anew, with a folder to work in.
func furnish(home string) error {
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Join(home, "work"), 0o755)
}

func newSecret() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // it never fails
	return fmt.Sprintf("secret-%x", b)
}

// judge finds what was wrong.
func (r *result) judge(c client, s *seat, out string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.requests = len(s.exchanges)
	for _, e := range s.exchanges {
		r.statuses[e.Status]++
		for _, fault := range append(contract.Faults(e), e.Fault()) {
			if fault != nil {
				r.faults = append(r.faults, fault.Error())
			}
		}
		if e.Status >= http.StatusBadRequest && !slices.ContainsFunc(c.refusals, func(m string) bool { return bytes.Contains(e.Response, []byte(m)) }) {
			r.faults = append(r.faults, fmt.Sprintf("%s %s: status %d: %s", e.Method, e.Path, e.Status, last(string(e.Response), 300)))
		}
	}
	if c.waits > 0 && r.requests > 2 {
		r.faults = append(r.faults, fmt.Sprintf("it asked %d times: two turns are its task, so it gave a silent stream up", r.requests))
	}
	if r.requests == 0 {
		r.faults = append(r.faults, "it asked nothing: "+last(out, 600))
	}
	if c.overflow != "" {
		if !strings.Contains(out, c.overflow) {
			r.faults = append(r.faults, fmt.Sprintf("it did not say %q: %s", c.overflow, last(out, 600)))
		}
		return // how it ends is its own affair
	}
	if c.script != "" {
		r.countSteps(out)
	} else if !s.real && !strings.Contains(out, s.secret) {
		r.faults = append(r.faults, "it did not say the secret word: "+last(out, 600))
	}
	var hung *hangError
	if err != nil && (!(s.real && c.givesUp) || errors.As(err, &hung)) {
		r.faults = append(r.faults, fmt.Sprintf("it ended with %v: %s", err, last(out, 600)))
	}
}

// countSteps reads an SDK script's report: a line "ok NAME" or "FAIL NAME: why" for each step, and
// "end" after the last.
func (r *result) countSteps(out string) {
	passed, all, ended := 0, 0, false
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "ok "):
			passed++
			all++
		case strings.HasPrefix(line, "FAIL "):
			all++
			r.faults = append(r.faults, strings.TrimPrefix(line, "FAIL "))
		case strings.HasSuffix(line, " bad"):
			r.packets = line
		case line == "end":
			ended = true
		}
	}
	r.steps = fmt.Sprintf("%d of %d", passed, all)
	if !ended {
		r.faults = append(r.faults, "its steps did not end: "+last(out, 600))
	}
}

func (r result) verdict() string {
	if len(r.faults) == 0 {
		return strings.TrimSpace("pass " + r.packets)
	}
	return "FAIL: " + strings.Join(r.faults, "\n    ")
}

// report prints the table, and below it what each failing row needs.
func report(w io.Writer, results []result) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "client\tmodel\tverdict\tsteps\trequests\tstatuses\tseconds\tasked outside")
	failed := 0
	for _, r := range results {
		verdict := "pass"
		if len(r.faults) > 0 {
			verdict = "FAIL"
			failed++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%.0f\t%s\n", r.client, r.model, verdict, r.steps, r.requests, statuses(r.statuses), r.took.Seconds(), strings.Join(r.refused, " "))
	}
	_ = t.Flush() // a terminal that is gone cannot be told
	for _, r := range results {
		for _, f := range r.faults {
			fmt.Fprintf(w, "\n%s, %s: %s\n", r.client, r.model, f)
		}
	}
	fmt.Fprintf(w, "\n%d rows, %d failed\n", len(results), failed)
}

func statuses(count map[int]int) string {
	var all []string
	for status, n := range count {
		all = append(all, fmt.Sprintf("%d×%d", n, status))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
