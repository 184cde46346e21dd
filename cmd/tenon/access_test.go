package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tenon/cmd/config"
)

func TestAccess_aPublicAddressNeedsAKeyOrTheUsersWord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("# ours\n\nalice=one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		settings config.Settings
		keys     int
		refused  bool
	}{
		{"loopback", config.Settings{Host: "127.0.0.1"}, 0, false},
		{"localhost", config.Settings{Host: "localhost"}, 0, false},
		{"everywhere", config.Settings{Host: "0.0.0.0"}, 0, true},
		{"empty is everywhere", config.Settings{Host: ""}, 0, true},
		{"a name may be public", config.Settings{Host: "gpu.lan"}, 0, true},
		{"insecure", config.Settings{Host: "0.0.0.0", Insecure: true}, 0, false},
		{"insecure, with prompts to be read", config.Settings{Host: "0.0.0.0", Insecure: true, DebugRequests: 1}, 0, true},
		{"key", config.Settings{Host: "0.0.0.0", APIKey: []string{"k"}}, 1, false},
		{"keys from a file and a flag", config.Settings{Host: "::", APIKey: []string{"k"}, APIKeyFile: file}, 3, false},
		{"no such file", config.Settings{Host: "127.0.0.1", APIKeyFile: file + "x"}, 0, true},
	} {
		admitted, err := access(c.settings)
		if (err != nil) != c.refused || len(admitted.keys) != c.keys {
			t.Errorf("%s: %d keys, %v", c.name, len(admitted.keys), err)
		}
		if c.refused && c.settings.APIKeyFile == "" {
			for _, way := range []string{"TENON_API_KEY", "--api-key-file", "--insecure"} {
				if !strings.Contains(err.Error(), way) {
					t.Errorf("%s: %q does not name %s", c.name, err, way)
				}
			}
		}
	}
}

// A browser sends no path, not even a slash: what has one never matched.
func TestAccess_pagesAreOrigins(t *testing.T) {
	for origin, accepted := range map[string]bool{
		"https://app.example": true, "http://localhost:3000": true, "*": true,
		"https://app.example/": false, "app.example": false, "": false, "https://": false, "https://a.example/x": false,
	} {
		if _, err := access(config.Settings{Host: "127.0.0.1", CORSOrigins: []string{origin}}); (err == nil) != accepted {
			t.Errorf("%q: %v", origin, err)
		}
	}
}
