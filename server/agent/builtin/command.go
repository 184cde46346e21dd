package builtin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"tenon/engine/sandbox"
	"tenon/server/agent"
)

// confinement is what a command may have. Without any of it a command sees the system's programs
// and a folder of its own that goes with it.
type confinement struct {
	// by path, from when the settings were read: a path can come to mean another folder
	were map[string]sandbox.FileID

	Folder      string   `key:"folder" path:"yes" help:"folder that the command starts in and may write to"`
	Read        []string `key:"read" path:"yes" help:"further files and folders that it may read and run, beside the system's"`
	Network     bool     `key:"network" help:"true: it may use the network"`
	Memory      int      `key:"memory" help:"most MiB that each of its processes may take, 256 or more; they may be 256 at once, and where the machine is short of memory the kernel ends them first"`
	Environment []string `key:"environment" help:"variables of the server's environment that it gets, beside PATH, LANG, LC_*, TZ and TERM; never TENON_*"`
	Unconfined  bool     `key:"unconfined" help:"true: it runs without the sandbox, as the server's user; needed where the system has none"`
}

func (c *confinement) check() error {
	for _, name := range c.Environment {
		if strings.HasPrefix(name, "TENON_") || strings.HasSuffix(name, "_") || strings.Contains(name, "=") {
			return fmt.Errorf("environment: %s cannot be handed on", name)
		}
	}
	// MiB; the process that confines the command has threads, and is bound like it
	const leastMemory = 256
	if c.Memory < leastMemory {
		return fmt.Errorf("memory: is %d; expected %d or more", c.Memory, leastMemory)
	}
	c.were = map[string]sandbox.FileID{}
	for _, p := range append(slices.Clone(c.Read), c.Folder) {
		if id, err := sandbox.Identify(p); err == nil {
			c.were[p] = id
		}
	}
	if info, err := os.Stat(c.Folder); c.Folder != "" && (err != nil || !info.IsDir()) {
		return fmt.Errorf("folder: there is no folder %s", c.Folder)
	}
	return nil
}

// unchanged refuses paths that have come to mean another file or folder, and returns what may be
// read: what was not there when the settings were read may be anything by now.
func (c *confinement) unchanged() (read []string, err error) {
	for _, p := range append(slices.Clone(c.Read), c.Folder) {
		was, known := c.were[p]
		if is, err := sandbox.Identify(p); known && (err != nil || is != was) {
			return nil, fmt.Errorf("%s is another file or folder than when the settings were read; if that is meant, reload them", p)
		}
		if known && p != c.Folder {
			read = append(read, p)
		}
	}
	return read, nil
}

// passedOn are variables that commands get.
var passedOn = []string{"PATH", "LANG", "LC_", "TZ", "TERM"}

func (c *confinement) environment(home string) []string {
	return append(sandbox.Select(os.Environ(), slices.Concat(passedOn, c.Environment)), "HOME="+home, "TMPDIR="+home)
}

// prepare makes the process of a command and the folder of its own.
func (c *confinement) prepare(args []string, home string) (*exec.Cmd, error) {
	read, err := c.unchanged()
	if err != nil {
		return nil, err
	}
	folder := cmp.Or(c.Folder, home)
	if c.Unconfined {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env = folder, c.environment(home)
		sandbox.Group(cmd)
		return cmd, nil
	}
	user := sandbox.LeastUser(c.Folder)
	if user != nil {
		if err := os.Chown(home, user.ID, user.Group); err != nil {
			return nil, fmt.Errorf("give a folder to the command: %w", err)
		}
	}
	n := sandbox.Command{Args: args, Read: read, Write: []string{home, folder}, Network: c.Network, User: user, Were: c.were}
	cmd, err := sandbox.Prepare(sandbox.Needs{Command: &n, Memory: uint64(c.Memory) << 20}, c.environment(home))
	if err != nil {
		return nil, err
	}
	cmd.Dir = folder
	return cmd, nil
}

// lastWords is how long a command's output is waited for once it has ended: a child of its own may
// hold it open.
const lastWords = time.Second

// run runs a command to its end, or to ctx's, and ends all that it started.
func (c *confinement) run(ctx context.Context, args []string, input []byte, most int) (agent.Result, error) {
	home, err := os.MkdirTemp("", "tenon-tool-")
	if err != nil {
		return agent.Result{}, fmt.Errorf("make a folder for the command: %w", err)
	}
	defer discard(home)
	cmd, err := c.prepare(args, home)
	if err != nil {
		return agent.Result{}, err
	}
	said := &sandbox.Output{First: most / 2, Last: most / 2}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(input), said, said, lastWords
	runtime.LockOSThread() // a confined command ends with the thread that started it
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return failed("%v", err)
	}
	stop := context.AfterFunc(ctx, func() { sandbox.EndGroup(cmd) })
	err = cmd.Wait()
	stop()
	sandbox.EndGroup(cmd)
	kept, cut := said.Bytes()
	r := agent.Result{Text: printable(kept), Cut: cut, Exit: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.Failed, r.Text = true, strings.TrimLeft(r.Text+"\n[ended: it took too long]", "\n")
	case errors.As(err, &exit):
		r.Failed, r.Text = true, strings.TrimLeft(fmt.Sprintf("%s\n[%v]", r.Text, exit), "\n")
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return r, fmt.Errorf("run %s: %w", args[0], err)
	}
	return r, nil
}

// discard removes a command's folder, whatever rights to it the command has left.
func discard(home string) {
	if os.RemoveAll(home) == nil { // always for root, who shall follow no path of a command's
		return
	}
	_ = filepath.WalkDir(home, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // it is read next
		}
		return nil
	})
	_ = os.RemoveAll(home) // what is left now is left
}

type executeCommand struct {
	Common
	confinement
	Programs []string `key:"programs" help:"programs that may be called, by name; '*': any that the command can reach"`
	Shell    bool     `key:"shell" help:"true: the command is a line for /bin/sh rather than a list of words; any program may then be called"`
}

func (s *executeCommand) Tool(name string) (agent.Tool, error) {
	err := s.check()
	if s.Folder == "" {
		err = errors.New("folder: names none")
	}
	if len(s.Programs) == 0 && !s.Shell {
		err = errors.New("programs: names none; '*' is any")
	}
	const schema = `{"type":"object","properties":{"command":%s},"required":["command"],"additionalProperties":false}`
	if s.Shell {
		return tool(s.Common, name, "Run a shell command in the project's folder.", fmt.Sprintf(schema, `{"type":"string","description":"line for /bin/sh"}`),
			func(ctx context.Context, a struct{ Command string }) (agent.Result, error) {
				return s.run(ctx, []string{"/bin/sh", "-c", a.Command}, nil, s.MaxBytes)
			}), err
	}
	programs := strings.Join(s.Programs, ", ")
	words := `{"type":"array","items":{"type":"string"},"minItems":1,"description":"the program and its arguments; no shell reads them"}`
	return tool(s.Common, name, "Run a command in the project's folder. Programs: "+programs+".", fmt.Sprintf(schema, words),
		func(ctx context.Context, a struct{ Command []string }) (agent.Result, error) {
			if len(a.Command) == 0 || !s.allowed(a.Command[0]) {
				return failed("this program may not be called; programs: %s", programs)
			}
			return s.run(ctx, a.Command, nil, s.MaxBytes)
		}), err
}

// allowed tells whether a program is one of the named. A name is looked for in PATH alone: a file
// of that name in the project is another program.
func (s *executeCommand) allowed(program string) bool {
	return slices.Contains(s.Programs, "*") || program == filepath.Base(program) && slices.Contains(s.Programs, program)
}

// Own is a tool of the user's: a command that reads the arguments as JSON from its standard input,
// or an HTTP endpoint that they are posted to.
type Own struct {
	Common
	confinement
	Description string            `key:"description" help:"what the model is told of the tool"`
	Schema      string            `key:"schema" help:"JSON Schema of the arguments, as JSON text; none: there are no arguments"`
	Command     []string          `key:"command" help:"program and arguments; it reads the call's arguments as JSON from its standard input, and what it writes is the result"`
	URL         string            `key:"url" help:"in place of a command: address that the arguments are posted to, as JSON; the body of the answer is the result"`
	Headers     map[string]string `key:"headers" help:"headers for that address, such as its key; they reach no other"`
}

// Tool is the configured tool under a name, or why the configuration gives none.
func (s *Own) Tool(name string) (agent.Tool, error) {
	err := s.check()
	if (len(s.Command) == 0) == (s.URL == "") {
		err = errors.New("names neither a command nor a url, or both")
	}
	if at, err2 := url.Parse(s.URL); s.URL != "" && (err2 != nil || webAddress(at) != nil) {
		// its text may hold a key
		err = errors.New("url: expected http:// or https:// and a host, without a name and a password; use headers")
	}
	schema := cmp.Or(s.Schema, `{"type":"object","properties":{},"additionalProperties":false}`)
	if !json.Valid([]byte(schema)) {
		err = errors.New("schema: is no JSON")
	}
	t := tool(s.Common, name, s.Description, schema, func(ctx context.Context, a rawArguments) (agent.Result, error) {
		if len(s.Command) > 0 {
			return s.run(ctx, s.Command, a.JSON, s.MaxBytes)
		}
		return s.post(ctx, a.JSON)
	})
	if t.Source = "http"; len(s.Command) > 0 {
		t.Source = "command"
	}
	return t, err
}

// rawArguments are arguments as they came.
type rawArguments struct{ JSON json.RawMessage }

func (a *rawArguments) UnmarshalJSON(b []byte) error { a.JSON = bytes.Clone(b); return nil }

// post calls an endpoint.
func (s *Own) post(ctx context.Context, arguments []byte) (agent.Result, error) {
	a, err := ask(ctx, request{url: s.URL, headers: s.Headers, body: arguments, private: true, most: s.MaxBytes})
	if err != nil {
		return agent.Result{}, err
	}
	left, _ := io.Copy(io.Discard, io.LimitReader(a.rest, 1<<20))
	_ = a.rest.Close() // it was only read
	r := agent.Result{Text: printable(a.body), Cut: int(left), Failed: a.status >= 300}
	if r.Failed {
		r.Text = fmt.Sprintf("HTTP status %d: %s", a.status, r.Text)
	}
	return r, nil
}
