package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenon/cmd/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// a second signal ends the process at once; its workers notice and end too
	context.AfterFunc(ctx, stop)
	root := newRootCommand()
	root.SetArgs(asLMS(os.Args))
	if err := root.ExecuteContext(ctx); err != nil {
		// an MCP server may have written it
		fmt.Fprintln(os.Stderr, "tenon:", plain(err.Error()))
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
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(nearestFlag)
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Serving", []*cobra.Command{newServeCommand(), newStartCommand(), newStopCommand(), newRestartCommand(), newStatusCommand(), newReloadCommand(), newLogsCommand(), newHealthCommand(), newConfigCommand(), newDoctorCommand()}},
		{"Models", []*cobra.Command{
			newRunCommand(), newLaunchCommand(), newListCommand(), newPullCommand(), newImportCommand(), newRemoveCommand(), newShowCommand(), newAliasCommand(),
			newPSCommand(), newLoadCommand(), newUnloadCommand(), newPinCommand(), newBenchCommand(), newLMSCommand(),
		}},
		{"Looking inside", []*cobra.Command{
			newExplainCommand(), newAgentCommand(), newReplayCommand(), newMCPCommand(), newCheckCommand(), newGrammarCommand(), newParseCommand(), newRenderCommand(), newFamiliesCommand(),
			newLicensesCommand(), newVersionCommand(),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(append(newWorkerCommands(), newConfinedCommand())...)
	root.SetCompletionCommandGroupID("Looking inside")
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"}) // it is there
	help.Args = func(_ *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		if err == nil && found.HasSubCommands() {
			err = knownCommand(found, rest)
		}
		return err
	}
	root.InitDefaultCompletionCmd()
	onlyKnown(root)
	return root
}

// onlyKnown has commands that do nothing but hold others refuse names that none has: cobra would
// print their help as if that had been asked for.
func onlyKnown(holder *cobra.Command) {
	for _, c := range holder.Commands() {
		onlyKnown(c)
	}
	if holder.HasSubCommands() && !holder.Runnable() {
		holder.Args = knownCommand
		holder.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
}

// knownCommand is asked where no command has the name: cobra would offer every one that is short.
func knownCommand(holder *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range holder.Commands() {
		if !c.Hidden {
			known = append(append(known, c.Name()), c.Aliases...)
		}
	}
	return fmt.Errorf("there is no command %q%s; see '%s --help'", args[0], config.DidYouMean(args[0], known), holder.CommandPath())
}

// nearestFlag says which flag a mistyped one may have been meant to be.
func nearestFlag(cmd *cobra.Command, err error) error {
	_, name, unknown := strings.Cut(err.Error(), "unknown flag: --")
	if !unknown {
		return fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath())
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	hint := ""
	if near := config.Near(name, known); len(near) > 0 {
		hint = " (did you mean --" + strings.Join(near, " or --") + "?)"
	}
	return fmt.Errorf("there is no flag --%s%s; see '%s --help'", name, hint, cmd.CommandPath())
}
