package worker

import (
	"bufio"
	"context"
	"encoding/json"
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
	c, confinement, err := confined(in)
	if err != nil {
		return err
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

// confined returns the child's options once it is confined. On Linux the program runs twice for
// that: first it reads the options and confines itself, then it gets them from its former self.
func confined(in io.Reader) (childConfig, engine.Confinement, error) {
	var c childConfig
	line, confinement, done, err := sandbox.Resume()
	if !done {
		line, err = bufio.NewReader(in).ReadBytes('\n') // the parent writes no more than this line
	}
	if err != nil {
		return c, confinement, fmt.Errorf("read the worker's options: %w (this command is started by the server, not by hand)", err)
	}
	if err := json.Unmarshal(line, &c); err != nil {
		return c, confinement, fmt.Errorf("decode the worker's options: %w", err)
	}
	if !done {
		confinement, err = sandbox.Enter(sandbox.Needs{Files: c.Options.files(), Folder: c.Options.DiskDir}, line)
	}
	if err != nil {
		return c, confinement, fmt.Errorf("confine the worker: %w", err)
	}
	return c, confinement, nil
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
