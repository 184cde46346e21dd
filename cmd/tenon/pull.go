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
			if !asJSON {
				path, err := pullShown(cmd, args[0], silence, func(store.Progress) {})
				if err == nil {
					_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
				}
				return err
			}
			lines := json.NewEncoder(cmd.OutOrStdout())
			// a reader that is gone ends it below
			path, err := pull(cmd, args[0], silence, func(now store.Progress) { _ = lines.Encode(fleet.Progress(now)) })
			if err == nil {
				err = lines.Encode(map[string]string{"path": path})
			}
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

// pullShown is pull, shown to whoever watches as a bar for each file, and to others as a line for
// every twentieth of it. also is told of the progress, too.
func pullShown(cmd *cobra.Command, name string, silence time.Duration, also func(store.Progress)) (string, error) {
	shown := pullView{screen: screenOf(cmd)}
	path, err := pull(cmd, name, silence, func(now store.Progress) {
		also(now)
		shown.show(now)
	})
	shown.end(err)
	return path, err
}

// pullView is what is seen of a pull.
type pullView struct {
	screen *terminal.Screen
	bar    *terminal.Bar // of file; nil before the first
	file   string
	next   int64 // bytes at which the next line is due
}

func (v *pullView) show(now store.Progress) {
	if now.File != v.file {
		v.end(nil)
		v.file, v.next, v.bar = now.File, 0, v.screen.Bar(now.File, terminal.Bytes)
	}
	rest := fmt.Sprintf("%s/s, %s left", terminal.Size(int64(now.PerSecond)), terminal.Span(now.Left))
	v.bar.Set(now.Done, max(now.Total, 0))
	switch {
	case now.Checking:
		v.bar.Say("%s: checking", now.File)
	case now.PerSecond > 0:
		v.bar.Say("%s: %s", now.File, rest)
	}
	if v.screen.Watched() || now.Done < v.next && now.Done != now.Total || now.Checking {
		return
	}
	if now.Total <= 0 {
		v.next = now.Done + 64<<20
		v.screen.Note("%s: %s", now.File, terminal.Size(now.Done))
		return
	}
	v.next = now.Done + now.Total/20
	v.screen.Note("%s: %s of %s (%d %%), %s", now.File, terminal.Size(now.Done), terminal.Size(now.Total), 100*now.Done/now.Total, rest)
}

func (v *pullView) end(err error) {
	if v.bar == nil {
		return
	}
	v.bar.Say("%s", v.file)
	v.bar.End(err)
}
