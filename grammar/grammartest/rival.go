package grammartest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The variables that hold the commands which start rivals. The target test-print of the Makefile
// sets them.
const (
	LlamaCPP   = "TENON_RIVAL_GBNF"
	XGrammar   = "TENON_RIVAL_XGRAMMAR"
	LLGuidance = "TENON_RIVAL_LLGUIDANCE" // reads what is printed for XGrammar
)

// Rival is another engine as a process that compiles a grammar and says which texts it accepts;
// cmd/scripts/rival-llama.c tells the protocol.
type Rival struct {
	t       testing.TB
	command []string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	grammar string
}

// patience is how long a rival may take for one answer.
const patience = 60 * time.Second

// errNoAnswer is what a rival that took too long, or died, is taken to have said.
var errNoAnswer = errors.New("no answer")

// StartRival starts the engine that a variable names; without it the test is skipped. The process
// ends with the test.
func StartRival(t testing.TB, variable string) *Rival {
	t.Helper()
	command := strings.Fields(os.Getenv(variable))
	if len(command) == 0 {
		t.Skipf("%s does not name an engine; make test-print does", variable)
	}
	r := &Rival{t: t, command: command}
	r.start()
	t.Cleanup(r.stop)
	return r
}

func (r *Rival) start() {
	r.process = exec.Command(r.command[0], r.command[1:]...)
	r.process.Stderr = io.Discard
	out, err := r.process.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if r.in, err = r.process.StdinPipe(); err != nil {
		r.t.Fatal(err)
	}
	if err := r.process.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.out = bufio.NewReader(out)
	// Python's packages take their time
	slow := time.AfterFunc(6*patience, func() { _ = r.process.Process.Kill() })
	defer slow.Stop()
	if ready, err := r.out.ReadString('\n'); err != nil || ready != "ready\n" {
		r.t.Fatalf("%s does not start: %q, %v", r.command, ready, err)
	}
}

func (r *Rival) stop() {
	_ = r.process.Process.Kill() // it may be gone
	_ = r.process.Wait()
}

// Compile gives the rival a grammar; what it says against it is the error.
func (r *Rival) Compile(text string) error {
	r.grammar = text
	answer, err := r.ask('G', text)
	if err != nil {
		return err
	}
	if answer != "ok" {
		return errors.New(answer)
	}
	return nil
}

// Accepts says whether the grammar given last accepts a text as a whole. An error is no verdict:
// the rival took too long, or died.
func (r *Rival) Accepts(text string) (bool, error) {
	answer, err := r.ask('T', text)
	return answer == "1", err
}

// ask sends one request. A rival that does not answer in time is started anew, with the last
// grammar.
func (r *Rival) ask(kind byte, text string) (string, error) {
	slow := time.AfterFunc(patience, func() { _ = r.process.Process.Kill() })
	defer slow.Stop()
	_, err := fmt.Fprintf(r.in, "%c %d\n%s", kind, len(text), text)
	if err == nil {
		var answer string
		if answer, err = r.out.ReadString('\n'); err == nil {
			return strings.TrimSpace(answer), nil
		}
	}
	r.stop()
	r.start()
	if kind == 'T' {
		if err := r.Compile(r.grammar); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: %w", r.command[0], errNoAnswer)
}
