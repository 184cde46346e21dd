package main

import (
	"strings"
	"testing"

	"tenon/cmd/background"
)

// A server whose port came from the environment is started again at that port, wherever the
// environment leads by now: what waits for it looks there.
func TestRestart_keepsThePort(t *testing.T) {
	for args, want := range map[string]string{
		"serve m.gguf":             "m.gguf --port=1299",
		"serve m.gguf --port 1299": "m.gguf --port 1299",
		"serve --port=1299 m.gguf": "--port=1299 m.gguf",
		"serve --port-less m.gguf": "--port-less m.gguf --port=1299",
	} {
		again := background.Record{Args: strings.Fields(args), Address: "http://127.0.0.1:1299"}
		for range 2 {
			got := anew(again)
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %q", args, got)
			}
			again.Args = append([]string{"serve"}, got...)
		}
	}
}
