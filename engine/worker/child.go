package worker

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"

	"golang.org/x/net/http2"

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
	conn, err := connection(os.NewFile(inheritedFD, "worker socket"))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in) // its end, however it comes, is the parent's
	}()
	return serve(ctx, conn, newHandler(confinement), c.Options, load)
}

// serve answers requests, at first those about loading alone, until ctx ends.
func serve(ctx context.Context, conn net.Conn, h *handler, o Options, load Load) error {
	o.Remember = h.loading.remember
	go func() {
		e, err := load(ctx, o, h.loading.report)
		h.loading.finish(e, err)
	}()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // it has nobody at its other end
	(&http2.Server{MaxConcurrentStreams: maxStreams}).ServeConn(conn, &http2.ServeConnOpts{
		Context: ctx, Handler: h.routes(), BaseConfig: &http.Server{ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug)},
	})
	if o.DiskDir != "" {
		return h.loading.close()
	}
	return nil
}
