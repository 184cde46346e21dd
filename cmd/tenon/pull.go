package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tenon/cmd/terminal"
	"tenon/models/store"
	"tenon/server/fleet"
)

// exitUnreachable is pull's exit status where the source cannot be reached or is silent, so that a
// script can fall back.
const exitUnreachable = 3

const (
	pullSilence = 5 * time.Second        // how long the source of a model may send nothing
	reportEvery = 250 * time.Millisecond // how far a pull is
)

func newPullCommand() *cobra.Command {
	var silence time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "pull MODEL",
		Short: "Fetch a model into the store and print its path",
		Long: `Fetch a model into the store (TENON_MODELS, by default under the XDG data folder) and print its path. MODEL is one of

  hf:owner/repo[:quant]                       of a hub; without a quantization the best of the usual ones
  ollama:[host/][namespace/]name[:tag]        of an Ollama-style registry
  https://…/name.gguf                         of any server
  a file or a folder                          printed as it is

A terminal shows a bar with speed and time left, a pipe gets lines on standard error, and with --json each report is an object of
one line on standard output, the path the last. A fetch that broke off goes on where it ended. HF_TOKEN gives access to private
repositories, HF_ENDPOINT names another hub, or several with commas.
Exit status 3: the source cannot be reached, or sent nothing for the time of --silence.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			report := showPull(screenOf(cmd))
			if asJSON {
				report = func(now store.Progress) { _ = json.NewEncoder(cmd.OutOrStdout()).Encode(fleet.Progress(now)) } // a reader that is gone ends it below
			}
			path, err := pull(cmd, args[0], silence, report)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{"path": path})
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
	cmd.Flags().DurationVar(&silence, "silence", pullSilence, "give up when the source sends nothing for so long")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print reports and the path as JSON, one a line")
	return cmd
}

func pull(cmd *cobra.Command, name string, silence time.Duration, report func(store.Progress)) (string, error) {
	models, err := openStore()
	if err != nil {
		return "", err
	}
	models.Silence = silence
	ref, err := store.ParseRef(name)
	if err != nil {
		return "", err
	}
	path, err := models.Pull(cmd.Context(), ref, report)
	var network *url.Error
	if errors.Is(err, store.ErrSilent) || errors.As(err, &network) {
		return "", &exitError{exitUnreachable, fmt.Errorf("pull %s: %w", name, err)}
	}
	return path, err
}

// openStore opens the user's model store.
func openStore() (*store.Store, error) {
	dir, err := store.DefaultDir()
	if err != nil {
		return nil, err
	}
	return &store.Store{Dir: dir, Hub: os.Getenv("HF_ENDPOINT"), Token: os.Getenv("HF_TOKEN"), Report: reportEvery}, nil
}

// showPull shows whoever watches a bar for each file, and others a line for every twentieth of it.
func showPull(screen *terminal.Screen) func(store.Progress) {
	var bar *terminal.Bar
	file, next := "", int64(0)
	return func(now store.Progress) {
		if now.File != file {
			file, next = now.File, 0
			bar = screen.Bar(now.File, terminal.Bytes)
		}
		if bar.Set(now.Done, max(now.Total, 0)); now.Done == now.Total {
			bar.End(nil)
		}
		if screen.Watched() || now.Done < next && now.Done != now.Total || now.Checking {
			return
		}
		if now.Total <= 0 {
			next = now.Done + 64<<20
			screen.Note("%s: %s", now.File, terminal.Size(now.Done))
			return
		}
		next = now.Done + now.Total/20
		screen.Note("%s: %s of %s (%d %%), %s/s, %s left", now.File, terminal.Size(now.Done), terminal.Size(now.Total),
			100*now.Done/now.Total, terminal.Size(int64(now.PerSecond)), now.Left.Round(time.Second))
	}
}
