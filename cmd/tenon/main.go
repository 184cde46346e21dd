// Command tenon serves GGUF models with tool calls that always validate. `tenon --help` lists what it can do.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once; its workers notice and end too
	if err := newRootCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "tenon:", err)
		os.Exit(exitStatus(err))
	}
}

// exitError is an error with an exit status of its own.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func exitStatus(err error) int {
	var e *exitError
	if errors.As(err, &e) {
		return e.status
	}
	return 1
}

// newRootCommand holds every sub-command; each has a file of its own.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "tenon",
		Short:         "A model server whose tool calls always validate",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(
		newCheckCommand(),
		newConfigCommand(),
		newExplainCommand(),
		newFamiliesCommand(),
		newGrammarCommand(),
		newHealthCommand(),
		newLicensesCommand(),
		newParseCommand(),
		newPullCommand(),
		newRenderCommand(),
		newReplayCommand(),
		newServeCommand(),
		newShowCommand(),
		newVersionCommand(),
		newWorkerCommand(),
		newMeasureCommand(),
	)
	return root
}
