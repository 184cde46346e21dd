package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tenon/cmd/background"
	"tenon/cmd/client"
	"tenon/cmd/config"
	"tenon/cmd/terminal"
)

func newStartCommand() *cobra.Command {
	var install, print bool
	var r remote
	cmd := &cobra.Command{
		Use:   "start [MODEL…] [flags of serve]",
		Short: "Start a server in the background",
		Long: `Start a server in the background, with the arguments of 'tenon serve', and wait until it is ready. 'tenon stop' ends it,
'tenon logs' shows what it says. Its record and its log are in TENON_STATE, by default under the XDG state folder.

With --install nothing is started: the unit of systemd or launchd is written that starts the server at login, as root at boot;
with --print-unit it is printed.`,
	}
	loader := config.Register(cmd.Flags())
	cmd.Flags().BoolVar(&install, "install", false, "write the unit that lets the system run the server")
	cmd.Flags().BoolVar(&print, "print-unit", false, "print it")
	r.offerJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := loader.Load(os.Environ()); err != nil {
			return err
		}
		r.screen = screenOf(cmd)
		where, err := background.Default()
		if err != nil {
			return err
		}
		for i, arg := range args {
			// the server may be started elsewhere
			if _, err := os.Stat(arg); err == nil {
				// it fails only where there is no working directory
				args[i], _ = filepath.Abs(arg)
			}
		}
		args = append(args, loader.Flags()...)
		if install || print {
			if cmd.Flags().Changed("api-key") {
				return errors.New("a unit can be read by everybody: put the key into a file and name that with --api-key-file")
			}
			if cmd.Flags().Changed("responses-url") {
				return errors.New("a unit can be read by everybody: put responses-url into a settings file and name that with --config")
			}
			return r.installUnit(where, args, print)
		}
		if r.Client, err = client.New(loader.Settings); err != nil {
			return err
		}
		return r.start(cmd.Context(), where, args)
	}
	return cmd
}

// started is a server in the background.
type started struct {
	background.Record
	Log string `json:"log"`
}

// foreignServer says that a server answers where one is to be started.
type foreignServer struct{ at string }

func (e *foreignServer) Error() string {
	return fmt.Sprintf("a server answers at %s already, which 'tenon start' has not started; choose another port with --port", e.at)
}

func (r *remote) start(ctx context.Context, where background.Dir, args []string) error {
	if _, err := r.Health(ctx); err == nil {
		if _, ours := where.Running(); !ours {
			return &foreignServer{r.Base}
		}
	}
	record, err := startServer(ctx, where, r, args)
	if err != nil {
		return err
	}
	return r.answer(started{record, where.Log()}, func() error {
		r.screen.Printf("ready: %s, process %d, log %s\n", record.Address, record.PID, where.Log())
		return nil
	})
}

func (r *remote) installUnit(where background.Dir, args []string, print bool) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	system, home, root := background.System()
	u, err := background.NewUnit(system, home, root, background.Command{Program: program, Args: append([]string{"serve"}, args...)}, where.Log())
	if err != nil {
		return err
	}
	if !print {
		if err := u.Write(); err != nil {
			return err
		}
	}
	return r.answer(u, func() error {
		if print {
			r.screen.Printf("%s", u.Text)
			return nil
		}
		r.screen.Printf("%s is written. Put it in force with\n", u.Path)
		for _, line := range u.Next {
			r.screen.Printf("  %s\n", line)
		}
		offerLMS(r.screen, program)
		return nil
	})
}

// withBackground is a command about the server in the background.
func withBackground(cmd *cobra.Command, run func(*cobra.Command, *remote, background.Dir) error) *cobra.Command {
	var r remote
	r.offerJSON(cmd)
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		where, err := background.Default()
		if err != nil {
			return err
		}
		r.screen = screenOf(cmd)
		return run(cmd, &r, where)
	}
	return cmd
}

func newStopCommand() *cobra.Command {
	return withBackground(&cobra.Command{
		Use: "stop", Short: "End the server in the background, once its requests are answered",
	}, func(cmd *cobra.Command, r *remote, where background.Dir) error {
		record, err := where.Stop(cmd.Context())
		if err != nil {
			return err
		}
		return r.answer(started{record, where.Log()}, func() error {
			r.screen.Printf("stopped: process %d, after %s\n", record.PID, terminal.Span(time.Since(record.Started)))
			return nil
		})
	})
}

func newRestartCommand() *cobra.Command {
	return withBackground(&cobra.Command{
		Use: "restart", Short: "Start the server in the background anew, as it was started last",
	}, func(cmd *cobra.Command, r *remote, where background.Dir) error {
		last, ok := where.Last()
		if !ok {
			return errors.New("no server was started in the background before ('tenon start' starts one)")
		}
		args := anew(last)
		c, err := clientOf(args)
		if err != nil {
			return err
		}
		if _, running := where.Running(); running {
			if _, err := where.Stop(cmd.Context()); err != nil {
				return err
			}
		}
		r.Client = c
		return r.start(cmd.Context(), where, args)
	})
}

// clientOf asks the server that arguments of serve start, wherever the environment and the
// settings file have it listen by now.
func clientOf(args []string) (*client.Client, error) {
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	loader := config.Register(flags)
	if err := flags.Parse(args); err != nil {
		return nil, fmt.Errorf("read the arguments that the server was started with: %w", err)
	}
	if err := loader.Load(os.Environ()); err != nil {
		return nil, err
	}
	return client.New(loader.Settings)
}

// anew is how a server is started again: at its own port, which the environment may have named
// then and names otherwise now.
func anew(last background.Record) []string {
	args := last.Args[1:]
	at, err := url.Parse(last.Address)
	given := func(arg string) bool { return arg == "--port" || strings.HasPrefix(arg, "--port=") }
	if err != nil || at.Port() == "" || slices.ContainsFunc(args, given) {
		return args
	}
	return append(slices.Clone(args), "--port="+at.Port())
}

func newStatusCommand() *cobra.Command {
	return withServer(&cobra.Command{
		Use: "status", Args: cobra.NoArgs, Short: "Tell whether a server runs, where and since when",
		Long: "Tell whether a server runs, where and since when. Exit status 1: none answers.",
	}, func(cmd *cobra.Command, r *remote, _ []string) error {
		where, err := background.Default()
		if err != nil {
			return err
		}
		var out struct {
			Address string             `json:"address"`
			Health  client.Health      `json:"health"`
			Started *background.Record `json:"background,omitempty"`
		}
		if record, ok := where.Running(); ok && record.Address == r.Base {
			out.Started = &record
		}
		out.Address = r.Base
		if out.Health, err = r.Health(cmd.Context()); err != nil {
			return err
		}
		return r.answer(out, func() error {
			r.screen.Printf("%s at %s", out.Health.Status, out.Address)
			if b := out.Started; b != nil {
				r.screen.Printf(", in the background as process %d for %s", b.PID, terminal.Span(time.Since(b.Started)))
			}
			r.screen.Printf("\n")
			return nil
		})
	})
}

func newLogsCommand() *cobra.Command {
	var follow bool
	var lines int
	cmd := withServer(&cobra.Command{
		Use: "logs", Args: cobra.NoArgs, Short: "Show what the server has logged",
		Long: `Show what the server has logged: it keeps its last 1,000 lines. Where none answers, the end of the log file is shown that the last
server in the background has left, which 'tenon start' begins anew.`,
	}, func(cmd *cobra.Command, r *remote, _ []string) error {
		path := fmt.Sprintf("/tenon/v1/log?lines=%d&follow=%t", lines, follow)
		err := r.Stream(cmd.Context(), http.MethodGet, path, nil, func(event string, data []byte) error {
			var line struct{ Line string }
			if err := json.Unmarshal(data, &line); err != nil || event != "line" {
				return err
			}
			if r.json {
				line.Line = string(data)
			}
			r.screen.Printf("%s\n", line.Line)
			return nil
		})
		if errors.Is(err, client.ErrNoServer) && !follow {
			return lastLog(r.screen, lines)
		}
		if cmd.Context().Err() != nil { // Ctrl-C
			err = nil
		}
		return err
	})
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on showing what comes, until Ctrl-C")
	cmd.Flags().IntVarP(&lines, "lines", "n", 100, "so many of the last lines")
	return cmd
}

// lastLog shows what the last server in the background has left.
func lastLog(s *terminal.Screen, lines int) error {
	where, err := background.Default()
	if err != nil {
		return err
	}
	text, err := where.Tail(lines)
	if err != nil {
		return fmt.Errorf("no server answers, and none has left a log: %w", err)
	}
	s.Note("No server answers; this is the end of %s.", where.Log())
	s.Printf("%s\n", text)
	return nil
}

func newReloadCommand() *cobra.Command {
	return withServer(&cobra.Command{
		Use: "reload", Args: cobra.NoArgs, Short: "Have the server read its settings file again",
		Long: "Have the server read its settings file again, as SIGHUP does. No request is dropped; it is said when each change takes effect.",
	}, func(cmd *cobra.Command, r *remote, _ []string) error {
		var done struct {
			Notes []string `json:"notes"`
		}
		if err := r.Post(cmd.Context(), "/tenon/v1/reload", struct{}{}, &done); err != nil {
			return err
		}
		return r.answer(done, func() error {
			if len(done.Notes) == 0 {
				done.Notes = []string{"nothing has changed"}
			}
			r.screen.Printf("%s\n", strings.Join(done.Notes, "\n"))
			return nil
		})
	})
}
