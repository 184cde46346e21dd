package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"tenon/engine"
	"tenon/engine/sandbox"
	"tenon/engine/shards"
	"tenon/engine/worker"
	"tenon/engine/worker/native"
	"tenon/models/placement"
)

// Names of sub-commands that are started by this program and not by hand, and hidden for that.
const (
	workerCommand  = "worker"
	measureCommand = "measure"
	tokensCommand  = "tokens"
	vramCommand    = "vram"
)

// newWorkerCommands are how the server and other commands start processes for what native code
// does, or hostile files may do.
func newWorkerCommands() []*cobra.Command {
	return []*cobra.Command{
		{
			Use: workerCommand, Short: "Run one model for a server that started this process", Hidden: true, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return worker.Serve(cmd.Context(), cmd.InOrStdin(), native.Load)
			},
		},
		asked(measureCommand, "Estimate a model's memory", placement.Measure),
		asked(tokensCommand, "Count a text's tokens", countTokens),
		asked(vramCommand, "Tell what is free of the GPUs' memory", func(struct{}) (int64, error) { return native.FreeVRAM(), nil }),
	}
}

func asked[Q, A any](name, does string, f func(Q) (A, error)) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: does + " for a command that started this process", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sandbox.Answer(cmd.InOrStdin(), cmd.OutOrStdout(), f)
		},
	}
}

// ask has a sub-command answer in a confined process.
func ask[Q, A any](ctx context.Context, command string, n sandbox.Needs, q Q) (a A, err error) {
	self, err := os.Executable()
	if err != nil {
		return a, fmt.Errorf("find this program: %w", err)
	}
	return sandbox.Ask[Q, A](ctx, self, command, n, q)
}

// ofModel is what a process needs that looks at a model's file. A hostile file can make it take so
// much memory.
func ofModel(path string) sandbox.Needs {
	return sandbox.Needs{Files: shards.Files(path), Memory: 2 << 30}
}

// measure looks at a model's file without this process looking itself.
func measure(q placement.Question) (placement.Estimate, error) {
	n := ofModel(q.Path)
	if q.Draft != "" {
		n.Files = append(n.Files, shards.Files(q.Draft)...)
	}
	e, err := ask[placement.Question, placement.Estimate](context.Background(), measureCommand, n, q)
	if err != nil {
		return nil, err
	}
	return e, e.Check()
}

// freeVRAM is what is free of the GPUs' memory in bytes, 0 where there is none or it cannot be
// told. Their drivers are not let into this process: they take memory, and may end it.
func freeVRAM() int64 {
	if !native.SeparateGPU {
		return 0
	}
	free, err := ask[struct{}, int64](context.Background(), vramCommand, sandbox.Needs{}, struct{}{})
	if err != nil {
		slog.Warn("what is free of the GPU's memory is not known", "error", err)
		return 0
	}
	return max(0, free)
}

// tokenQuestion asks how many tokens each text has.
type tokenQuestion struct {
	Model    string // its GGUF file
	Texts    []string
	Prompts  []engine.Prompt // behind the texts, as the model would be given them
	Template string          // that writes the prompts
}

// askTokens has texts counted by a model's file.
func askTokens(ctx context.Context, q tokenQuestion) ([]int, error) {
	counts, err := ask[tokenQuestion, []int](ctx, tokensCommand, ofModel(q.Model), q)
	if err == nil && len(counts) != len(q.Texts)+len(q.Prompts) {
		err = fmt.Errorf("count tokens: %d counts of %d texts", len(counts), len(q.Texts)+len(q.Prompts))
	}
	return counts, err
}

// newConfinedCommand is how a tool's command is run that a model wrote.
func newConfinedCommand() *cobra.Command {
	return &cobra.Command{
		Use:                sandbox.CommandName,
		Short:              "Confine this process and run a command in its place, for a server that started it",
		Hidden:             true,
		Args:               cobra.ExactArgs(1),
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			n, err := sandbox.Decode(args[0])
			if err != nil {
				return err
			}
			return &exitError{sandbox.NotRun, sandbox.Become(n)}
		},
	}
}
