package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tenon/engine/worker"
	"tenon/engine/worker/native"
	"tenon/engine/worker/sandbox"
	"tenon/models/placement"
)

// measureCommand is the name of newMeasureCommand.
const measureCommand = "measure"

// newMeasureCommand is how the server has a model's file looked at, without looking itself.
func newMeasureCommand() *cobra.Command {
	return &cobra.Command{
		Use:    measureCommand,
		Short:  "Estimate a model's memory for a server that started this process",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sandbox.Answer(cmd.InOrStdin(), cmd.OutOrStdout(), placement.Measure)
		},
	}
}

// mostForMeasuring is the memory that a hostile file can make the process take that measures it.
const mostForMeasuring = 2 << 30

// measure asks a confined process.
func measure(q placement.Question) (placement.Estimate, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	needs := sandbox.Needs{Files: sandbox.ModelFiles(q.Path), Memory: mostForMeasuring}
	e, err := sandbox.Ask[placement.Question, placement.Estimate](context.Background(), self, measureCommand, needs, q)
	if err != nil {
		return nil, err
	}
	return e, e.Check()
}

// tokensCommand is the name of newTokensCommand.
const tokensCommand = "tokens"

// tokenQuestion asks how many tokens each text has.
type tokenQuestion struct {
	Model string // its GGUF file
	Texts []string
}

// newTokensCommand is how commands have texts counted by a model's file that they do not open
// themselves: native code reads it, and it may be hostile.
func newTokensCommand() *cobra.Command {
	return &cobra.Command{
		Use:    tokensCommand,
		Short:  "Count tokens for a command that started this process",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return sandbox.Answer(cmd.InOrStdin(), cmd.OutOrStdout(), countTokens)
		},
	}
}

// askTokens asks a confined process.
func askTokens(ctx context.Context, q tokenQuestion) ([]int, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	needs := sandbox.Needs{Files: sandbox.ModelFiles(q.Model), Memory: mostForMeasuring}
	counts, err := sandbox.Ask[tokenQuestion, []int](ctx, self, tokensCommand, needs, q)
	if err != nil {
		return nil, err
	}
	if len(counts) != len(q.Texts) {
		return nil, fmt.Errorf("count tokens: %d counts of %d texts", len(counts), len(q.Texts))
	}
	return counts, nil
}

// newWorkerCommand is how the server starts a model's process. It is of no use by hand and hidden
// for that.
func newWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run one model for a server that started this process",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return worker.Serve(cmd.Context(), cmd.InOrStdin(), native.Load)
		},
	}
}
