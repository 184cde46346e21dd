package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"tenon/server/chat/record"
)

func newReplayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay FILE…",
		Short: "Run saved requests again, without a model, and compare what comes of them",
		Long: `Read records that 'tenon explain --json ID' saved (or JSON answers to requests with X-Tenon-Debug: 1, which hold theirs as
tenon_debug) and run each request again: its prompt is rendered, its grammar built and its output parsed anew, on an
engine that says what the model said then. What differs is printed, and the exit status is 1. FILE - is standard input.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return replayFiles(cmd, args) },
	}
}

func replayFiles(cmd *cobra.Command, names []string) error {
	differ := 0
	for _, name := range names {
		saved, err := readRecord(cmd.InOrStdin(), name)
		if err != nil {
			return err
		}
		again, err := record.Replay(cmd.Context(), saved)
		if err != nil {
			return fmt.Errorf("replay %s: %w", name, err)
		}
		found := record.Compare(saved, again)
		if len(found) == 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "same  %s  %s\n", name, saved.ID)
			continue
		}
		differ++
		fmt.Fprintf(cmd.OutOrStdout(), "DIFFERS  %s  %s\n", name, saved.ID)
		for _, d := range found {
			fmt.Fprintln(cmd.OutOrStdout(), d)
		}
	}
	if differ > 0 {
		return fmt.Errorf("%d of %d records differ", differ, len(names))
	}
	return nil
}

// readRecord reads a record from a file, or from in if its name is "-".
func readRecord(in io.Reader, name string) (*record.Record, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read a record: %w", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	return decodeRecord(in, name)
}

func decodeRecord(in io.Reader, name string) (*record.Record, error) {
	raw, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read a record from %s: %w", name, err)
	}
	var answer struct {
		Record json.RawMessage `json:"tenon_debug"`
	}
	if json.Unmarshal(raw, &answer) == nil && answer.Record != nil {
		raw = answer.Record
	}
	var r record.Record
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("read a record from %s: %w", name, err)
	}
	if r.ID == "" && len(r.Turns) == 0 {
		return nil, errors.New(name + " holds no record; 'tenon explain --json ID' writes one")
	}
	return &r, nil
}
