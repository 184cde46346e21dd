package main

import (
	"strings"
	"testing"

	"tenon/cmd/background"
)

// A server whose port came from the environment is started again at that port, wherever the
// environment leads by now: what waits for it looks there.
func TestRestart_keepsThePort(t *testing.T) {
	t.Setenv("TENON_PORT", "1300")
	for args, want := range map[string]string{
		"serve m.gguf":             "m.gguf --port=1299",
		"serve m.gguf --port 1299": "m.gguf --port 1299",
		"serve --port=1299 m.gguf": "--port=1299 m.gguf",
	} {
		again := background.Record{Args: strings.Fields(args), Address: "http://127.0.0.1:1299"}
		for range 2 {
			got := anew(again)
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %q", args, got)
			}
			if c, err := clientOf(got); err != nil || c.Base != again.Address {
				t.Errorf("%s: asked at %v, %v", args, c, err)
			}
			again.Args = append([]string{"serve"}, got...)
		}
	}
}

// Where another setting leads elsewhere by now, the server is looked for there.
func TestRestart_looksWhereTheServerListens(t *testing.T) {
	t.Setenv("TENON_HOST", "127.0.0.2")
	if c, err := clientOf([]string{"m.gguf", "--port=1299"}); err != nil || c.Base != "http://127.0.0.2:1299" {
		t.Errorf("%v, %v", c, err)
	}
}
