package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"

	"tenon/engine"
	"tenon/engine/sandbox"
)

// Load makes the engine that a child serves. It reports progress from 0 to 1 and may be stopped by
// ctx.
type Load func(ctx context.Context, o Options, progress func(float64)) (engine.Engine, error)

// Serve is the child's whole life: it reads its options from the first line of in, confines
// itself, loads the model and answers requests on the inherited socket until in ends, which is
// when the parent has ended, or until ctx does. Whatever runs in native code at that time is left
// behind, for the process to end over it; unless conversations are kept on disk: then the engine
// is closed, which writes them.
func Serve(ctx context.Context, in io.Reader, load Load) error {
	c, confinement, err := sandbox.Confined(in, func(c childConfig) sandbox.Needs {
		return sandbox.Needs{Files: c.Options.files(), Folder: c.Options.DiskDir}
	})
	if err != nil {
		return fmt.Errorf("begin the worker: %w", err)
	}
	slog.SetDefault(slog.New(newLogHandler(os.Stderr, c.Level)))
	l, err := inherited()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in) // its end, however it comes, is the parent's
	}()
	return serve(ctx, l, newHandler(confinement), c.Options, load)
}

// serve answers requests, at first those about loading alone, until ctx ends.
func serve(ctx context.Context, l net.Listener, h *handler, o Options, load Load) error {
	o.Remember = h.loading.remember
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler:     h.routes(),
		Protocols:   protocols,
		HTTP2:       &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ErrorLog:    slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	go func() {
		e, err := load(ctx, o, h.loading.report)
		h.loading.finish(e, err)
	}()
	go func() {
		<-ctx.Done()
		_ = server.Close() // the connections have nobody at their other end
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the worker's socket: %w", err)
	}
	if o.DiskDir != "" {
		return h.loading.close()
	}
	return nil
}
