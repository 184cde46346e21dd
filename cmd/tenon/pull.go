package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tenon/models/store"
)

// exitUnreachable is pull's exit status where the source cannot be reached or is silent, so that a script can fall back.
const exitUnreachable = 3

func newPullCommand() *cobra.Command {
	var silence time.Duration
	cmd := &cobra.Command{
		Use:   "pull MODEL",
		Short: "Fetch a model into the store and print its path",
		Long: `Fetch a model into the store (TENON_MODELS, by default under the XDG data folder) and print its path.

MODEL is hf:owner/repo[:quant], an https address of a .gguf file, or a path, which is printed as it is.
A fetch that broke off goes on where it ended. HF_TOKEN gives access to private repositories, HF_ENDPOINT names another hub.
Exit status 3: the source cannot be reached, or sent nothing for the time of --silence.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := pull(cmd, args[0], silence, nil)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
	cmd.Flags().DurationVar(&silence, "silence", 5*time.Second, "give up when the source sends nothing for so long")
	return cmd
}

// pull fetches a model, prints how far it is, and tells watch, unless that is nil.
func pull(cmd *cobra.Command, name string, silence time.Duration, watch func(store.Progress)) (string, error) {
	models, err := openStore()
	if err != nil {
		return "", err
	}
	models.Silence = silence
	ref, err := store.ParseRef(name)
	if err != nil {
		return "", err
	}
	shown := &progress{w: cmd.ErrOrStderr(), watch: watch}
	path, err := models.Pull(cmd.Context(), ref, shown.show)
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
	return &store.Store{Dir: dir, Hub: os.Getenv("HF_ENDPOINT"), Token: os.Getenv("HF_TOKEN")}, nil
}

// progress prints one line for every twentieth of a file.
type progress struct {
	w     io.Writer
	watch func(store.Progress) // told of everything; may be nil
	name  string
	next  int64 // bytes at which to print again
}

func (p *progress) show(now store.Progress) {
	const mebibyte = 1 << 20
	if p.watch != nil {
		p.watch(now)
	}
	if now.File != p.name {
		p.name, p.next = now.File, 0
	}
	if now.Done < p.next && now.Done != now.Total || now.Checking {
		return
	}
	if now.Total > 0 {
		p.next = now.Done + now.Total/20
		_, _ = fmt.Fprintf(p.w, "%s: %d of %d MiB (%d %%), %.1f MiB/s, %s left\n", now.File, now.Done/mebibyte, now.Total/mebibyte,
			100*now.Done/now.Total, now.PerSecond/mebibyte, now.Left.Round(time.Second))
		return
	}
	p.next = now.Done + 64*mebibyte
	_, _ = fmt.Fprintf(p.w, "%s: %d MiB\n", now.File, now.Done/mebibyte)
}
