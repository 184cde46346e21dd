package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"

	"tenon/server/agent"
	"tenon/tools"
)

// planner is a source with one tool, which asks the user.
type planner struct{}

const form = `{"type":"object","required":["day"],"properties":{"day":{"type":"integer","description":"of the month\u202e"},"who":{"type":"string"},"late":{"type":"boolean","default":false}}}`

func (planner) Tools(context.Context) ([]agent.Tool, error) {
	return []agent.Tool{{
		Tool: tools.Tool{Name: "plan"}, Source: "diary", Approval: agent.Allow,
		Execute: func(ctx context.Context, _ json.RawMessage, _ func(agent.Progress)) (agent.Result, error) {
			r, err := agent.AidOf(ctx).Elicit(ctx, "Which day?\x1b[8m", json.RawMessage(form))
			return agent.Result{Text: r.Action + " " + string(r.Content)}, err
		},
	}}, nil
}

const planCall = `{"tool": "plan", "arguments": {}}`

type typed struct{ shown, keys string }

// What a running tool asks is shown, and what is typed goes back to it. What does not fit is asked
// for again, and nothing that the tool writes reaches the terminal as a command.
func TestRun_answersATool(t *testing.T) {
	for told, steps := range map[string][]typed{
		`accept {"day":3,"who":"Ada"}`: {{" asks: Which day?", ""}, {"day (integer, of the month", "third\r"}, {"who (string, may be empty)", "Ada\r"}, {"late (boolean, else false)", "\r"}, {"send it? (y/N) ", "y\r"},
			{"content", ""}, {"day (", "3\r"}, {"who (", "Ada\r"}, {"late (", "\r"}, {"send it? (y/N) ", "yes\r"}},
		"decline": {{"day (", "3\r"}, {"who (", "\r"}, {"late (", "\r"}, {"send it? (y/N) ", "\r"}},
		"cancel":  {{"day (", "\x04"}},
	} {
		at, e := serverOf(t, planner{}, planCall, "That is all.")
		cmd := exec.CommandContext(t.Context(), os.Args[0], append(at, "run", "m", "--use", "diary")...)
		cmd.Env = append(os.Environ(), runEnv+"=1", "TERM=xterm")
		tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
		if err != nil {
			t.Skip("there are no terminals here: ", err)
		}
		var s screen
		go s.copy(tty)
		steps = append([]typed{{"> ", "look\r"}}, append(steps, typed{"That is all.", ""}, typed{"> ", "\x04"})...)
		for _, step := range steps {
			s.await(t, step.shown)
			if _, err := tty.WriteString(step.keys); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", told, err)
		}
		_ = tty.Close()
		if all := s.everything(); strings.Contains(all, "\u202e") || strings.Contains(all, "\x1b[8m") {
			t.Errorf("%s: %q", told, all)
		}
		if prompt := e.Turns()[1].Prompt.String(); !strings.Contains(prompt, told) {
			t.Errorf("the model was not told %q\n%s", told, prompt)
		}
	}
}

// Without a terminal nobody is asked, and the tool is told.
func TestRun_withoutATerminalNothingIsAnswered(t *testing.T) {
	at, e := serverOf(t, planner{}, planCall, "That is all.")
	out, _, err := executeWith(t, "look", append(at, "run", "m", "--use", "diary")...)
	if err != nil || out != "That is all.\n" || !strings.Contains(e.Turns()[1].Prompt.String(), "declined") {
		t.Errorf("%q %v", out, err)
	}
}
