package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

func loadGrants(t *testing.T, text string) ([]Grant, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tenon.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	l := Register(flags)
	if err := flags.Parse([]string{"--config", path}); err != nil {
		t.Fatal(err)
	}
	err := l.Load(nil)
	return l.Grants, err
}

func TestGrants_areReadFromTheFile(t *testing.T) {
	grants, err := loadGrants(t, "tool-grants:\n  - keys: [alice]\n    models: [coder]\n    tools: [fs/*, builtin/web_search]\n    offer: true\n    clash: server\n  - tools: ['*/*']\n")
	want := []Grant{{Keys: []string{"alice"}, Models: []string{"coder"}, Tools: []string{"fs/*", "builtin/web_search"}, Offer: true, Clash: "server"}, {Tools: []string{"*/*"}}}
	if diff := cmp.Diff(want, grants); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestGrants_faultsNameTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"tool-grants: all": "expected a list", "tool-grants:\n  - keys: [a]": "line 2: tool-grants: tools are []",
		"tool-grants:\n  - tools: [fs]": "expected SOURCE/TOOL", "tool-grants:\n  - tools: ['fs/[']": "expected SOURCE/TOOL",
		"tool-grants:\n  - tools: [a/b]\n    ofer: true": "did you mean offer", "tool-grants:\n  - tools: [a/b]\n    offer: maybe": "expected true or false",
		"tool-grants:\n  - tools: [a/b]\n    clash: both": "expected rename, client or server",
	} {
		if _, err := loadGrants(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
