package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// contender is a server being measured.
type contender struct {
	name  string
	base  string // URL
	model string // what its API calls the model
	cmd   *exec.Cmd
	ended chan struct{} // closed when it has
	log   *os.File
}

// startLimit is how long a server may take to load its model, and tenon to calibrate.
const startLimit = 3 * time.Minute

// start runs a server on a free port and waits until it is healthy.
func (b *bench) start(ctx context.Context, name, program string, args ...string) (*contender, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	_ = l.Close()
	_, port, _ := net.SplitHostPort(address)
	log, err := os.Create(filepath.Join(b.work, strings.ReplaceAll(name, " ", "-")+".log"))
	if err != nil {
		return nil, err
	}
	c := &contender{name: name, base: "http://" + address, ended: make(chan struct{}), log: log}
	c.cmd = exec.CommandContext(ctx, program, append(args, "--host", "127.0.0.1", "--port", port)...)
	c.cmd.Stdout, c.cmd.Stderr = log, log
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(syscall.SIGTERM) }
	c.cmd.WaitDelay = 10 * time.Second
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		_ = c.cmd.Wait() // how it ended stands in its log
		close(c.ended)
	}()
	if err := c.wait(ctx); err != nil {
		c.stop()
		return nil, fmt.Errorf("%s: %w; see %s", name, err, log.Name())
	}
	return c, nil
}

// wait until the server is healthy, and learn what it calls its model.
func (c *contender) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !c.healthy(ctx) {
		select {
		case <-tick.C:
		case <-c.ended:
			return fmt.Errorf("it has ended")
		case <-ctx.Done():
			return fmt.Errorf("not ready after %s", startLimit)
		}
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := c.get(ctx, "/v1/models", &list); err != nil {
		return err
	}
	if len(list.Data) == 0 {
		return fmt.Errorf("it lists no model")
	}
	c.model = list.Data[0].ID
	return nil
}

func (c *contender) healthy(ctx context.Context) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/health", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// stop ends the server.
func (c *contender) stop() {
	_ = c.cmd.Cancel()
	<-c.ended
	_ = c.log.Close()
}

// memory is the resident set of the server's own process in MiB.
func (c *contender) memory(ctx context.Context) (float64, error) {
	out, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(c.cmd.Process.Pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("ps: %w", err)
	}
	kib, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return kib / 1024, err
}

// server is a program to be started, and its flags.
type server struct {
	name, program string
	args          []string
}

// contenders starts tenon, with or without drafts, and llama-server with flash attention and
// without, on a model; where drafts are measured, with its own as well.
func (b *bench) contenders(ctx context.Context, path string, drafts bool, flags ...string) ([]*contender, func(), error) {
	starts := []server{b.ours(path, "off", flags...)}
	if drafts {
		starts = []server{b.ours(path, "auto", flags...), b.ours(path, "off", flags...)}
		starts[1].name = "tenon without"
	}
	if b.rival != "" {
		starts = append(starts, b.theirs(path, flags...)...)
	}
	if b.rival != "" && drafts {
		with := b.theirs(path, flags...)[0]
		with.name, with.args = "llama-server with drafts", append(with.args, "--spec-default")
		starts = append(starts, with)
	}
	return b.startAll(ctx, starts)
}

// ours is tenon, with drafts or without.
func (b *bench) ours(path, drafts string, flags ...string) server {
	return server{"tenon", b.tenon, append([]string{"serve", path, "--threads", strconv.Itoa(b.threads), "--drafts", drafts}, flags...)}
}

// theirs is llama-server with flash attention, and without.
func (b *bench) theirs(path string, flags ...string) []server {
	var out []server
	for _, fa := range []string{"on", "off"} {
		args := append([]string{"-m", path, "-t", strconv.Itoa(b.threads), "--no-webui", "-fa", fa}, flags...)
		out = append(out, server{"llama-server fa " + fa, b.rival, args})
	}
	return out
}

// startAll starts all of them, or none.
func (b *bench) startAll(ctx context.Context, starts []server) ([]*contender, func(), error) {
	var all []*contender
	stop := func() {
		for _, c := range all {
			c.stop()
		}
	}
	for _, s := range starts {
		c, err := b.start(ctx, s.name, s.program, s.args...)
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, c)
	}
	return all, stop, nil
}
