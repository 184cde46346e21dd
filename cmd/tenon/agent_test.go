package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/servertest"
	"tenon/tools"
)

// notebook is a source with one tool, which must be asked about.
type notebook struct{}

func (notebook) Tools(context.Context) ([]agent.Tool, error) {
	return []agent.Tool{{
		Tool:   tools.Tool{Name: "lookup", Parameters: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}}}`)},
		Source: "notes", Original: "look\x1b[2Kup",
		Execute: func(context.Context, json.RawMessage, func(agent.Progress)) (agent.Result, error) {
			return agent.Result{Text: "It rains."}, nil
		},
	}}, nil
}

// agentServer serves the model m, which plays, and executes the notebook's tool.
func agentServer(t *testing.T, said ...string) (at []string, e *enginetest.Scripted) {
	t.Helper()
	return serverOf(t, notebook{}, said...)
}

func serverOf(t *testing.T, source agent.Source, said ...string) (at []string, e *enginetest.Scripted) {
	t.Helper()
	alone(t)
	var all []enginetest.Reply
	for _, s := range said {
		all = append(all, enginetest.Say(s))
	}
	e = enginetest.Script(all...)
	o := servertest.Options(servertest.Model{ID: "m", Engine: e})
	o.Agent = agent.New(o.Service, agent.Options{Sources: []agent.Source{source}})
	h := httptest.NewServer(server.New(o))
	t.Cleanup(h.Close)
	_, port, err := net.SplitHostPort(h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--port", port}, e
}

const lookupOslo = `{"tool": "lookup", "arguments": {"q": "Oslo` + "\u202e" + `"}}`

// The arguments are shown, and what is typed decides. Nothing that the model writes reaches the
// terminal as a command.
func TestRun_asksInTheTerminal(t *testing.T) {
	for key, told := range map[string]string{"y": "It rains.", "": "did not approve"} {
		at, e := agentServer(t, lookupOslo, "\x1b[8mThat is all.")
		cmd := exec.CommandContext(t.Context(), os.Args[0], append(at, "run", "m", "--use", "notes")...)
		cmd.Env = append(os.Environ(), runEnv+"=1", "TERM=xterm")
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
		if err != nil {
			t.Skip("there are no terminals here: ", err)
		}
		var s screen
		go s.copy(tty)
		for _, step := range []struct{ shown, typed string }{{"> ", "look\r"}, {`"Oslo `, ""}, {"execute it? (y/N) ", key + "\r"}, {"That is all.", ""}, {"> ", "\x04"}} {
			s.await(t, step.shown)
			if _, err := tty.WriteString(step.typed); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", key, err)
		}
		_ = tty.Close()
		if all := s.everything(); strings.Contains(all, "\u202e") || strings.Contains(all, "\x1b[8m") || strings.Contains(all, "\x1b[2Kup") {
			t.Errorf("%q", all)
		}
		if prompt := e.Turns()[1].Prompt.String(); !strings.Contains(prompt, told) {
			t.Errorf("%q: the model was told\n%s", key, prompt)
		}
	}
}

// Without a terminal nobody approves.
func TestRun_withoutATerminalNothingIsApproved(t *testing.T) {
	at, e := agentServer(t, lookupOslo, "That is all.")
	_, _, err := executeWith(t, "look", append(at, "run", "m", "--use", "notes")...)
	if err == nil || !strings.Contains(err.Error(), "notes/look [2Kup") || len(e.Turns()) != 1 {
		t.Errorf("%v, %d turns", err, len(e.Turns()))
	}
}

// Where the output goes to a file nobody would see what is asked: nobody approves, whoever types.
func TestRun_aHalfTerminalApprovesNothing(t *testing.T) {
	at, e := agentServer(t, lookupOslo, "That is all.")
	keys, tty, err := pty.Open()
	if err != nil {
		t.Skip("there are no terminals here: ", err)
	}
	defer func() { _ = errors.Join(keys.Close(), tty.Close()) }() // nothing is lost
	if _, err := keys.WriteString("y\ny\n"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	root := newRootCommand()
	root.SetArgs(append(at, "run", "m", "look", "--use", "notes"))
	root.SetIn(tty)
	root.SetOut(&out)
	root.SetErr(&out)
	if err := root.Execute(); err == nil || !strings.Contains(err.Error(), "in a terminal only") || len(e.Turns()) != 1 {
		t.Errorf("%v, %d turns: %q", err, len(e.Turns()), out.String())
	}
}
