package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"tenon/cmd/config"
	"tenon/cmd/terminal"
	"tenon/models/catalog"
	"tenon/models/fleet"
	api "tenon/server/fleet"
)

func newServeCommand() *cobra.Command {
	var example bool
	cmd := &cobra.Command{
		Use:   "serve [MODEL…]",
		Short: "Serve models to OpenAI and Anthropic clients",
		Long: `Serve models. MODEL is the name of one at hand ('tenon list'), a GGUF file, a folder of them, hf:owner/repo[:quant],
ollama:name[:tag] or an https address; the models named here are loaded at start, all others when they are first asked for.
Without --models-dir, and unless only files are named, all models at hand are served.

Each setting is also an environment variable (--ctx-size is TENON_CTX_SIZE) and a key of the file given with --config; a flag
wins over the environment, that over the file. 'tenon config' prints what is in force.`,
	}
	loader := config.Register(cmd.Flags())
	cmd.Flags().BoolVar(&example, "example", false, "print a request to try once the server is ready")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := loader.Load(os.Environ()); err != nil {
			return err
		}
		return serve(cmd, loader, args, example)
	}
	return cmd
}

func newConfigCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the settings in force and where each value came from",
		Long:  "Print the settings that 'tenon serve' would run with, given the same flags, environment and file.",
		Args:  cobra.NoArgs,
	}
	loader := config.Register(cmd.Flags())
	asJSON := cmd.Flags().Bool("json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := loader.Load(os.Environ()); err != nil {
			return err
		}
		return printValues(screenOf(cmd), loader.InForce(), *asJSON)
	}
	return cmd
}

// printValues shows settings in force and where each came from.
func printValues(s *terminal.Screen, all []config.Value, asJSON bool) error {
	if asJSON {
		return s.JSON(all)
	}
	rows := make([][]string, len(all))
	for i, v := range all {
		rows[i] = []string{v.Name, v.Value, v.From}
	}
	return s.Table([]string{"setting", "value", "from"}, rows)
}

// supported tells whether models can be served on a system.
func supported(system string) error {
	if system == "windows" {
		return errors.New("serving runs on Linux and macOS; Windows is not supported yet (WSL is Linux)")
	}
	return nil
}

func serve(cmd *cobra.Command, loader *config.Loader, args []string, example bool) error {
	s := loader.Settings
	if err := supported(runtime.GOOS); err != nil {
		return err
	}
	logger, err := newLogger(io.MultiWriter(cmd.ErrOrStderr(), &serverLog), s)
	if err != nil {
		return err
	}
	slog.SetDefault(logger)
	admitted, err := access(s)
	if err != nil {
		return err
	}
	kept, err := openStore()
	if err != nil {
		return err
	}
	listener, err := listen(s)
	if err != nil {
		return err
	}
	if at, ok := listener.Addr().(*net.TCPAddr); ok {
		s.Port = at.Port // with --port 0 the system has chosen one
	}
	start := &pulling{cmd: cmd}
	door := openDoor(listener, s, start.handler(s, admitted))
	defer door.shut()
	known, named, settings, err := catalogue(fetcher{bring: start.fetch}, loader, args)
	if err != nil {
		return err
	}
	var app *app // it is there before anything is loaded
	of := func(id string) config.Effective { return app.settings.Load().of(id) }
	o := limits(s)
	o.Catalog, o.Start, o.Estimate, o.Store = known, starter(known, of, logger), estimator(known, of, freeVRAM), kept
	manager := fleet.New(o)
	defer func() { _ = manager.Close() }() // it never fails
	if app, err = newApp(settings, admitted, manager, named); err != nil {
		return err
	}
	defer app.close()
	app.known, app.read = known, func(l *config.Loader) (*catalog.Catalog, []string, perModel, error) {
		return catalogue(fetchFor(cmd), l, args)
	}
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	go app.reloadOnHangup(ctx)
	go func() {
		if err := app.load(ctx); err != nil {
			cancel(err)
			return
		}
		announce(cmd.OutOrStdout(), s, named)
		if example && len(named) > 0 {
			showExample(cmd.OutOrStdout(), s, named[0], len(admitted.keys) > 0)
		}
	}()
	return door.serve(ctx, app)
}

// limits are what the fleet must keep to.
func limits(s config.Settings) fleet.Options {
	// a negative cache has no limit
	return fleet.Options{Most: s.MaxModels, HostCache: int64(s.CacheRAM) << 20, QueueTimeout: s.QueueTimeout, TTL: s.KeepAlive}
}

func listen(s config.Settings) (net.Listener, error) {
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return nil, errors.New("TLS takes both, --ssl-cert-file and --ssl-key-file")
	}
	address := net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("listen on %s (is another server running there? choose another port with --port): %w", address, err)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s (--host and --port say where): %w", address, err)
	}
	return l, nil
}

// serverLog is the log of this process, for those who follow it.
var serverLog api.Log

func newLogger(w interface{ Write([]byte) (int, error) }, s config.Settings) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		return nil, fmt.Errorf("log-level %q: expected debug, info, warn or error", s.LogLevel)
	}
	o := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return slog.New(slog.NewTextHandler(w, o)), nil
}
