package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// CommandName is the hidden sub-command of tenon that calls [Become] with its one argument.
const CommandName = "confined"

// NotRun is the exit status of a command that could not be run.
const NotRun = 126

// Prepare makes the process that will confine itself and then run the command. Its environment is
// that of the caller's choice; nothing of this process's own goes with it. It ends with the thread
// that starts it: the caller locks its goroutine to one until the process has ended.
func Prepare(n Needs, environment []string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	command := *n.Command
	command.Server = os.Getpid()
	n.Command = &command
	text, err := json.Marshal(n)
	if err != nil {
		return nil, fmt.Errorf("encode the command: %w", err)
	}
	cmd := exec.Command(self, CommandName, string(text))
	cmd.Env = environment
	Group(cmd)
	return cmd, nil
}

// Decode reads what [Prepare] wrote.
func Decode(text string) (n Needs, err error) {
	if err = json.Unmarshal([]byte(text), &n); err != nil {
		return n, fmt.Errorf("decode the command: %w", err)
	}
	if n.Command == nil || len(n.Command.Args) == 0 {
		return n, errors.New("decode the command: there is none")
	}
	return n, nil
}
