package soak

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tenon/engine/enginetest/tinymodel"
)

// options are the command line's. Without a binary there is nothing to soak.
type options struct {
	tenon   string
	minutes float64
	turns   int
	kills   int
	clients int
}

var opts options

func init() {
	o := &opts
	flag.StringVar(&o.tenon, "soak.tenon", "", "the server's binary")
	flag.Float64Var(&o.minutes, "soak.minutes", 30, "how long to run")
	flag.IntVar(&o.turns, "soak.turns", 0, "go on, for ten times as long at most, until as many turns have ended")
	flag.IntVar(&o.kills, "soak.kills", 0, "end once as many workers have been killed, at random moments; 0: one is killed now and then")
	flag.IntVar(&o.clients, "soak.clients", 8, "clients that send turns at once")
}

func TestSoak(t *testing.T) {
	if opts.tenon == "" {
		t.Skip("make soak builds what it needs and runs it")
	}
	if err := run(t.Context(), opts, t.TempDir()); err != nil {
		t.Fatal(err)
	}
}

func (o options) atLeast() time.Duration { return time.Duration(o.minutes * float64(time.Minute)) }

// soak is a run.
type soak struct {
	options
	base    string // of the server's addresses
	pid     int
	began   time.Time
	done    atomic.Int64  // turns
	ended   chan struct{} // a turn has
	killed  atomic.Int64
	tally   tally
	silent  []net.Conn   // connections that say nothing; only hostile and hangUp have them
	running sync.RWMutex // held for reading by turns, for writing while the server is measured
}

func run(ctx context.Context, o options, dir string) error {
	for _, kind := range []tinymodel.Kind{tinymodel.FullAttention, tinymodel.SlidingWindow} {
		if err := tinymodel.WriteFile(filepath.Join(dir, string(kind)+".gguf"), tinymodel.Options{Kind: kind, Seed: 1}); err != nil {
			return fmt.Errorf("write a model: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*o.atLeast())
	defer cancel()
	s := &soak{options: o, began: time.Now(), ended: make(chan struct{}, 1)}
	end, err := s.serve(dir)
	if err != nil {
		return err
	}
	s.trouble(ctx, cancel)
	var all sync.WaitGroup
	for i := range o.clients {
		all.Go(func() { s.client(ctx, rand.New(rand.NewPCG(1, uint64(i)))) })
	}
	m := s.measure(ctx, cancel)
	all.Wait()
	return errors.Join(s.report(m), end())
}

// serve starts the server. end stops it, and tells if it had died before.
func (s *soak) serve(dir string) (end func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // the server takes it
	log, err := os.Create(filepath.Join(filepath.Dir(filepath.Dir(s.tenon)), "build", "soak.log"))
	if err != nil {
		return nil, err
	}
	// What is kept has small bounds, so that it is full before anything is measured.
	cmd := exec.Command(s.tenon, "serve", "--models-dir", dir, "--models-max", "1", "--port", strconv.Itoa(port), "--parallel", "4", "--ctx-size", "2048",
		"--cache-ram", "32", "--responses-max-size", "2", "--flash-attn", "off", "--debug-requests", "20", "--log-level", "warn", "--max-body", "4")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.tenon, err)
	}
	s.pid, s.base = cmd.Process.Pid, "http://127.0.0.1:"+strconv.Itoa(port)
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }()
	end = func() error {
		select {
		case err := <-died:
			return fmt.Errorf("the server died; build/soak.log says why: %w", err)
		default:
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := <-died; err != nil {
			return fmt.Errorf("the server did not end well: %w", err)
		}
		return nil
	}
	return end, s.awaitLife(died)
}

func (s *soak) awaitLife(died <-chan error) error {
	for {
		select {
		case err := <-died:
			return fmt.Errorf("the server did not start; build/soak.log says why: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
		if answer, err := http.Get(s.base + "/health/live"); err == nil {
			_ = answer.Body.Close()
			return nil
		}
	}
}
