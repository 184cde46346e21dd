// Package worker runs a model in a child process of the same binary and speaks to it over a
// private socket, so that a fault in native code ends one model's turns and not the server.
//
//	w, err := worker.Start(ctx, worker.Options{Name: "qwen3", Model: "qwen3-0.6b-q8_0.gguf"})
//	defer w.Close()
//	session, err := w.Open(ctx, turn) // w is an engine.Engine
//
// The child parses files that strangers wrote. So before it opens the model it gives up the
// network and all files but that one, see package sandbox. Where conversations are kept on disk
// (package disk) it has a folder of its own for them.
//
// Two halves meet at wire.go:
//
//   - [Start] gives the parent's half, an engine.Engine whose methods are HTTP requests. It starts
//     the child, joins the child's log with the server's, notices its end and starts it again when
//     the next request comes.
//   - [Serve] is the child's half: it reads its [Options] from standard input, loads the model and
//     answers the requests by an in-process engine.Engine, which is package runner on package
//     native, or anything else in tests.
//
// The parent's files: worker.go, process*.go (start, stop, crash), pair_unix.go (the two sockets),
// session.go, log_relay.go (the child's log joins the server's), kept.go (the folder of kept
// conversations), measured.go (what children have measured). The child's: child.go (Serve),
// handler.go, loading.go. Both have options.go, socket.go and wire.go.
//
// The requests are plain HTTP over a pair of connected sockets that nobody else can reach, and
// answers that take time are lines of JSON. A worker ends when its standard input does, which the
// parent never closes: the kernel does, however the parent ended.
package worker
