package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"

	"tenon/engine"
	"tenon/engine/sandbox"
)

// Times that a child is given.
const (
	exitGrace = 5 * time.Second  // between being asked to end and being killed
	keepGrace = 12 * time.Second // beside it, for writing conversations to disk
	// between a broken connection and the end of the process that explains it
	lostGrace = 3 * time.Second
)

// LostError is engine.ErrWorkerLost with why the worker ended and what the caller may do.
type LostError struct {
	Name   string // of the model
	Reason string // such as "signal: killed", with the last words of native code
	// part of the answer had been written, and may have been shown; else the same turn can be
	// tried again
	Sent bool
}

func (e *LostError) Error() string {
	advice := "nothing of the answer was sent, try again"
	if e.Sent {
		advice = "the answer had begun; trying again starts a new one"
	}
	return fmt.Sprintf("the worker of model %q ended (%s): %s", e.Name, e.Reason, advice)
}

func (e *LostError) Unwrap() error { return engine.ErrWorkerLost }

// process is one life of a child.
type process struct {
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser // its end ends the child
	link  *link
	relay *relay
	http  *http.Client
	model engine.Model // set once loaded

	sandbox engine.Confinement // set once loaded
	found   map[string]string  // what it measured; set once loaded

	keeping time.Duration // that it may take at its end for writing to disk

	done   chan struct{} // closed when the child has ended
	reason string        // why it did; to be read after done

	served  atomic.Bool // a turn came to its finish
	closing atomic.Bool // the end is wanted
}

// childConfig is the first line of a child's standard input.
type childConfig struct {
	Options Options
	Level   slog.Level // of the least line that the parent's log takes
}

// levels that native code logs at, lowest first.
var levels = []slog.Level{slog.LevelDebug - 4, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn}

// leastLevel spares the child what the parent would drop: llama.cpp tells a lot.
func leastLevel(l *slog.Logger) slog.Level {
	for _, level := range levels {
		if l.Enabled(context.Background(), level) {
			return level
		}
	}
	return slog.LevelError
}

// spawn starts a child. Its process lives until stop, or until it ends by itself.
func spawn(o Options) (*process, error) {
	l, err := newLink()
	if err != nil {
		return nil, fmt.Errorf("start the worker of %q: %w", o.Name, err)
	}
	p := &process{
		name: o.Name, link: l, done: make(chan struct{}),
		relay: &relay{log: o.Log.With("model", o.Name)},
		http:  &http.Client{Transport: l.transport},
	}
	if err := p.start(o); err != nil {
		l.close()
		return nil, fmt.Errorf("start the worker of %q: %w", o.Name, err)
	}
	return p, nil
}

func (p *process) start(o Options) error {
	o.Measured = measurements{dir: o.StateDir}.all()
	if o.DiskDir = o.keepIn(); o.DiskDir != "" {
		p.keeping = keepGrace
	}
	config, err := json.Marshal(childConfig{Options: o, Level: leastLevel(o.Log)})
	if err != nil {
		return fmt.Errorf("encode its options: %w", err)
	}
	p.cmd = exec.Command(o.Binary, "worker")
	p.cmd.Env = append(sandbox.Environment(os.Environ()), hugePages(os.Getenv(tunables)))
	p.cmd.ExtraFiles = []*os.File{p.link.theirs}
	p.cmd.SysProcAttr = childAttributes()
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return err
	}
	started := make(chan error)
	go p.run(stderr, started)
	if err := <-started; err != nil {
		return err
	}
	_ = p.link.theirs.Close() // the child has its own by now
	_, err = p.stdin.Write(append(config, '\n'))
	if err != nil {
		<-p.done // it ended before it could read
		return p.lost(false)
	}
	return nil
}

// tunables names the environment variable that glibc's malloc is set up by; other C libraries
// ignore it.
const tunables = "GLIBC_TUNABLES"

// hugePages is the setting under which what a child allocates in large pieces, weights and KV
// cache, lies in huge pages: see engine/llama.LoadMode. What the user has set goes on, and wins.
func hugePages(set string) string {
	wanted := tunables + "=glibc.malloc.hugetlb=1"
	if set == "" {
		return wanted
	}
	return wanted + ":" + set
}

// run is the goroutine of a child's life. It keeps its thread: on Linux a child is told of the end
// of the thread that started it, not of the process.
func (p *process) run(stderr io.Reader, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.relay.run(stderr)
	_ = p.cmd.Wait() // ProcessState tells more
	p.reason = p.cmd.ProcessState.String()
	if words := p.relay.lastWords(); words != "" {
		p.reason += ": " + words
	}
	_ = p.stdin.Close() // nobody reads it
	p.link.close()
	close(p.done)
}

// stop ends the child and waits for its end.
func (p *process) stop() {
	p.closing.Store(true)
	_ = p.stdin.Close() // fails only if it is closed already
	grace := time.NewTimer(exitGrace + p.keeping)
	defer grace.Stop()
	select {
	case <-p.done:
	case <-grace.C:
		p.kill()
	}
}

func (p *process) kill() {
	p.closing.Store(true)
	_ = p.cmd.Process.Kill() // fails only if it has ended
	<-p.done
}

func (p *process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return !p.closing.Load()
	}
}

// lost is the error of a request that the child's end has cut off.
func (p *process) lost(sent bool) error {
	if p.closing.Load() {
		return engine.ErrClosed
	}
	return &LostError{Name: p.name, Reason: p.reason, Sent: sent}
}

// explain turns a broken connection into the child's end, if that is what broke it.
func (p *process) explain(err error, sent bool) error {
	if p.closing.Load() {
		return engine.ErrClosed
	}
	wait := time.NewTimer(lostGrace)
	defer wait.Stop()
	select {
	case <-p.done:
		return p.lost(sent)
	case <-wait.C:
		return fmt.Errorf("speak to the worker of %q: %w", p.name, err)
	}
}

// load waits for the model, telling progress on the way.
func (p *process) load(ctx context.Context, progress func(float64)) error {
	resp, err := p.do(ctx, http.MethodGet, pathLoad, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for lines := json.NewDecoder(resp.Body); ; {
		var l loadLine
		if err := lines.Decode(&l); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return p.explain(err, false)
		}
		switch {
		case l.Error != nil:
			return fmt.Errorf("load model %q: %w", p.name, l.Error.Err())
		case l.Model != nil:
			p.model, p.found = *l.Model, l.Measured
			return nil
		case l.Sandbox != nil:
			p.sandbox = *l.Sandbox
		case progress != nil:
			progress(l.Progress)
		}
	}
}

// do sends a request whose answer's body the caller closes. An answer other than 200 becomes its
// error.
func (p *process) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode a request to the worker of %q: %w", p.name, err)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://worker"+path, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("make a request to the worker of %q: %w", p.name, err)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, p.explain(err, false)
	}
	resp.Body = &boundedLines{ReadCloser: resp.Body, most: longestLine}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	var w engine.Fault
	if err := json.NewDecoder(resp.Body).Decode(&w); err != nil {
		return nil, p.explain(errors.Join(fmt.Errorf("status %s", resp.Status), err), false)
	}
	return nil, w.Err()
}

// longestLine of a child's answers, in bytes. The longest honest one tells of a model: its
// vocabulary's markers, its chat template.
const longestLine = 64 << 20

// boundedLines ends with an error where a line has no end: a child that an evil file has taken
// over may say anything, and the server keeps a line in memory until it ends.
type boundedLines struct {
	io.ReadCloser
	most int
	read int // bytes since the line began
}

func (b *boundedLines) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		b.read = n - i - 1
	} else if b.read += n; b.read > b.most {
		return n, fmt.Errorf("a line of the worker's answer is longer than %d bytes", b.most)
	}
	return n, err
}

// call is a request with one answer.
func (p *process) call(ctx context.Context, path string, body, answer any) error {
	resp, err := p.do(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return p.explain(err, false)
	}
	return nil
}
