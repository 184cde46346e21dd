package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	c := &contender{name: name, base: "http://" + address, log: log}
	c.cmd = exec.CommandContext(ctx, program, append(args, "--host", "127.0.0.1", "--port", port)...)
	c.cmd.Stdout, c.cmd.Stderr = log, log
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(syscall.SIGTERM) }
	c.cmd.WaitDelay = 10 * time.Second
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
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
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !c.healthy(ctx) {
		select {
		case <-tick.C:
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
	_ = c.cmd.Wait() // how it ended does not matter
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

// contenders starts tenon, with or without drafts, and llama-server with flash attention and
// without, on a model; where drafts are measured, with its own as well.
func (b *bench) contenders(ctx context.Context, path string, drafts bool, flags ...string) ([]*contender, func(), error) {
	var all []*contender
	stop := func() {
		for _, c := range all {
			c.stop()
		}
	}
	threads := strconv.Itoa(b.threads)
	type server struct {
		name, program string
		args          []string
	}
	own, rival := []string{"serve", path, "--threads", threads, "--drafts", "off"}, []string{"-m", path, "-t", threads, "--no-webui", "-fa"}
	starts := []server{{"tenon", b.tenon, own}}
	if drafts {
		starts = []server{{"tenon", b.tenon, own[:4]}, {"tenon without", b.tenon, own}}
	}
	if b.rival != "" {
		starts = append(starts, server{"llama-server fa on", b.rival, append(slices.Clone(rival), "on")},
			server{"llama-server fa off", b.rival, append(slices.Clone(rival), "off")})
	}
	if b.rival != "" && drafts {
		starts = append(starts, server{"llama-server with drafts", b.rival, append(slices.Clone(rival), "on", "--spec-default")})
	}
	for _, s := range starts {
		c, err := b.start(ctx, s.name, s.program, append(s.args, flags...)...)
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, c)
	}
	return all, stop, nil
}
