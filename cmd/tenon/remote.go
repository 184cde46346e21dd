package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenon/cmd/background"
	"tenon/cmd/client"
	"tenon/cmd/config"
	"tenon/cmd/terminal"
)

// remote is what commands share that talk to a running server.
type remote struct {
	*client.Client
	screen *terminal.Screen
	loader *config.Loader
	json   bool // for programs
}

// withServer makes a command one that talks to a server: it gets the flags that say where that is,
// and run the connection. A model as its first argument is completed in shells.
func withServer(cmd *cobra.Command, run func(cmd *cobra.Command, r *remote, args []string) error) *cobra.Command {
	r := &remote{loader: config.RegisterOnly(cmd.Flags(), "host", "port", "api-key", "api-key-file", "ssl-cert-file")}
	// the same for all of these commands; their help says so
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = true })
	r.offerJSON(cmd)
	cmd.Long = strings.TrimSpace(cmd.Long + "\n\nThe server is that in the background, or the one at --host and --port; these, --api-key and --config are as for 'tenon serve'.")
	if strings.Contains(cmd.Use, "MODEL") {
		cmd.ValidArgsFunction = r.complete
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := r.connect(cmd); err != nil {
			return err
		}
		return run(cmd, r, args)
	}
	return cmd
}

func (r *remote) connect(cmd *cobra.Command) error {
	r.screen = screenOf(cmd)
	if err := r.loader.Load(os.Environ()); err != nil {
		return err
	}
	var err error
	if r.Client, err = client.New(r.loader.Settings); err != nil {
		return err
	}
	if r.loader.Sources["host"] == config.FromDefault && r.loader.Sources["port"] == config.FromDefault {
		if where, err := background.Default(); err == nil {
			if record, ok := where.Running(); ok {
				r.Base = record.Address
			}
		}
	}
	return nil
}

func screenOf(cmd *cobra.Command) *terminal.Screen {
	return terminal.New(cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
}

func (r *remote) offerJSON(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&r.json, "json", false, "print JSON")
}

// answer writes v for a program, or calls people.
func (r *remote) answer(v any, people func() error) error {
	if r.json {
		return r.screen.JSON(v)
	}
	return people()
}

// orStart makes sure that a server runs: where none answers it is started in the background, with
// the model.
func (r *remote) orStart(ctx context.Context, model string) error {
	_, err := r.Health(ctx)
	if !errors.Is(err, client.ErrNoServer) {
		return err
	}
	where, err := background.Default()
	if err != nil {
		return err
	}
	record, err := startServer(ctx, where, r, []string{model})
	if err != nil {
		return err
	}
	r.Base = record.Address
	r.screen.Note("A server was started in the background, as process %d at %s; 'tenon stop' ends it.", record.PID, record.Address)
	return nil
}

// startServer starts a server in the background that serves args, and shows how far its model is.
func startServer(ctx context.Context, where background.Dir, r *remote, args []string) (background.Record, error) {
	bar := r.screen.Bar("starting", terminal.Percent)
	command := background.Command{Args: append([]string{"serve"}, args...), Address: r.Base}
	record, err := where.Start(ctx, command, func(ctx context.Context) bool {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		health, err := r.Health(ctx)
		if err == nil && health.Model != "" {
			bar.Say("loading %s", health.Model)
			bar.Set(int64(100*health.Progress), 100)
		}
		return err == nil && health.Status != "loading"
	})
	bar.End(err)
	return record, err
}

// complete offers the names of models to a shell.
func (r *remote) complete(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := r.connect(cmd); err == nil {
		list, _ := r.models(ctx, cmd) // the name of a file is what is left
		for _, m := range list {
			names = append(names, m.ID+"\t"+m.State)
			names = append(names, m.Aliases...)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}
