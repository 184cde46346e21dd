// Package clients holds a test that runs the clients that people use against tenon, and prints a
// table of what happened: make clients (ONLY=codex,openai-js runs some of them).
//
// Each row is one client and one model. The client is installed at a pinned version (pins_test.go)
// into build/clients. It runs in a home of its own, without telemetry, and reaches loopback alone:
// everything else goes to a proxy that refuses it. Its task needs a tool call whose result nobody
// could guess, a secret word:
//
//   - scripted: the model is a script (script_test.go). It asks for the call and, once the secret
//     stands in its prompt, says it. The row passes if the client says it too: the call was
//     understood, run and answered, and the turn ended.
//   - gemma: the model is real, small and untaught. The row passes if no protocol error and no
//     crash occurs, the turn ends, and, for the SDKs, whatever must call does.
//
// Two more rows (…-waiting) have a script that reads each prompt for 20 s, and a client that
// gives a stream up after 2 s of silence. Three (…-overflow) have a model whose context is too
// small for the first prompt, and pass if the client says what follows from having understood
// that.
//
// Everything sent passes through servertest.Watch on its way: bodies and events are held against
// their descriptions (package contract), and readers judge each stream as the strictest client
// would. A row has no time limit, since machines differ: it is ended where nothing moves or where
// it asks without end (guard_test.go). What is started is ended, with all its children. The tests
// of all this are in the files own_*_test.go.
package clients
