package background

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"tenon/models/store"
)

// Dir is the folder where a background server's record and log are.
type Dir string

// Default is the user's: $TENON_STATE, else under the XDG state folder.
func Default() (Dir, error) {
	dir, err := store.UserDir("TENON_STATE", "XDG_STATE_HOME", ".local/state", "tenon")
	return Dir(dir), err
}

// Record is a server that was started.
type Record struct {
	PID int `json:"pid"`
	// by the system's clock, in ms: another process may get the same PID later
	Created int64     `json:"created"`
	Args    []string  `json:"args"` // of tenon
	Address string    `json:"address"`
	Started time.Time `json:"started"`
}

// Log is the file that the server writes into.
func (d Dir) Log() string { return filepath.Join(string(d), "server.log") }

func (d Dir) record() string { return filepath.Join(string(d), "server.json") }

// Last is the server that was started last, running or not.
func (d Dir) Last() (Record, bool) {
	var r Record
	b, err := os.ReadFile(d.record())
	return r, err == nil && json.Unmarshal(b, &r) == nil
}

// Running is the server that runs.
func (d Dir) Running() (Record, bool) {
	r, ok := d.Last()
	return r, ok && r.alive()
}

func (r Record) alive() bool {
	p, err := process.NewProcess(int32(r.PID))
	if err != nil {
		return false
	}
	created, err := p.CreateTime()
	if states, stateErr := p.Status(); stateErr == nil && len(states) > 0 && states[0] == process.Zombie {
		return false
	}
	// what is known of it may be from before it was gone
	exists, _ := process.PidExists(int32(r.PID))
	return err == nil && created == r.Created && exists
}

// Command is a server to start.
type Command struct {
	Program string   // "": this program
	Args    []string // of tenon, such as serve --port 1234
	Address string   // where it will listen
}

// Start starts a server that outlives this process and waits until ready, which is asked again and
// again, returns true. A server that ends before is an error with the last that it said.
func (d Dir) Start(ctx context.Context, c Command, ready func(context.Context) bool) (Record, error) {
	if r, ok := d.Running(); ok {
		return r, fmt.Errorf("a server runs in the background already, as process %d at %s", r.PID, r.Address)
	}
	if c.Program == "" {
		var err error
		if c.Program, err = os.Executable(); err != nil {
			return Record{}, fmt.Errorf("find this program: %w", err)
		}
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return Record{}, fmt.Errorf("start the server: %w", err)
	}
	log, err := os.OpenFile(d.Log(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return Record{}, fmt.Errorf("open the server's log: %w", err)
	}
	defer func() { _ = log.Close() }() // the server has its own
	server := exec.Command(c.Program, c.Args...)
	server.Stdout, server.Stderr = log, log
	server.SysProcAttr = detached()
	if err := server.Start(); err != nil {
		return Record{}, fmt.Errorf("start the server: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	r := Record{PID: server.Process.Pid, Args: c.Args, Address: c.Address, Started: time.Now()}
	if p, err := process.NewProcess(int32(r.PID)); err == nil {
		r.Created, _ = p.CreateTime() // 0: it has ended, which is noticed below
	}
	if err := d.write(r); err != nil {
		return r, errors.Join(err, server.Process.Kill())
	}
	return r, d.await(ctx, ended, ready)
}

// await waits until the server is ready. Whoever gives up waiting leaves it running.
func (d Dir) await(ctx context.Context, ended <-chan error, ready func(context.Context) bool) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err == nil {
				err = errors.New("exit status 0")
			}
			said, _ := d.Tail(20) // what cannot be read is nothing
			return fmt.Errorf("the server ended at once (%w); it said:\n%s", err, bytes.TrimSpace(said))
		case <-ctx.Done():
			return fmt.Errorf("wait for the server: %w; 'tenon logs' shows how far it is, 'tenon stop' ends it", context.Cause(ctx))
		case <-tick.C:
			if ready(ctx) {
				return nil
			}
		}
	}
}

func (d Dir) write(r Record) error {
	b, _ := json.MarshalIndent(r, "", "  ") // texts and numbers
	part := d.record() + ".part"
	if err := os.WriteFile(part, b, 0o600); err != nil {
		return fmt.Errorf("write the server's record: %w", err)
	}
	return os.Rename(part, d.record())
}

// Stop ends the server, which finishes its running requests first, and waits for its end.
func (d Dir) Stop(ctx context.Context) (Record, error) {
	r, ok := d.Running()
	if !ok {
		return r, errors.New("no server runs in the background ('tenon start' starts one)")
	}
	p, err := os.FindProcess(r.PID)
	if err == nil {
		err = p.Signal(syscall.SIGTERM)
	}
	if err != nil {
		return r, fmt.Errorf("signal process %d: %w", r.PID, err)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for r.alive() {
		select {
		case <-ctx.Done():
			return r, fmt.Errorf("wait for process %d to end: %w", r.PID, ctx.Err())
		case <-tick.C:
		}
	}
	return r, nil
}

// Tail is the end of the log: at most so many of its last lines.
func (d Dir) Tail(lines int) ([]byte, error) {
	const most = 1 << 20 // bytes looked at
	log, err := os.Open(d.Log())
	if err != nil {
		return nil, fmt.Errorf("read the server's log: %w", err)
	}
	defer func() { _ = log.Close() }() // it was only read
	// it fails where the log is shorter, and stands at its beginning
	_, _ = log.Seek(-most, io.SeekEnd)
	text, err := io.ReadAll(io.LimitReader(log, most)) // no more of one that grows meanwhile
	if err != nil {
		return nil, fmt.Errorf("read the server's log: %w", err)
	}
	all := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	return bytes.Join(all[max(len(all)-lines, 0):], nil), nil
}
