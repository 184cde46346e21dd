package config

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite REFERENCE.md")

func load(t *testing.T, args, environ []string, yaml string) (*Loader, error) {
	t.Helper()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	l := Register(flags)
	if yaml != "" {
		path := filepath.Join(t.TempDir(), "tenon.yaml")
		if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", path)
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return l, l.Load(environ)
}

func TestLoad_flagThenEnvironmentThenFileThenDefault(t *testing.T) {
	l, err := load(t, []string{"--port", "1"}, []string{"TENON_PORT=2", "TENON_PARALLEL=2", "PATH=/bin"}, "port: 3\nparallel: 3\nctx-size: 3\nalias: [a, b]\n")
	if err != nil {
		t.Fatal(err)
	}
	s := l.Settings
	if s.Port != 1 || s.Parallel != 2 || s.CtxSize != 3 || s.BatchSize != 2048 || len(s.Alias) != 2 {
		t.Errorf("%+v", s)
	}
	for name, want := range map[string]Source{"port": FromFlag, "parallel": FromEnv, "ctx-size": FromFile, "batch-size": FromDefault} {
		if l.Sources[name] != want {
			t.Errorf("%s from %s, want %s", name, l.Sources[name], want)
		}
	}
}

// What starts a server passes on variables that nobody has set: each of them empty is none at all.
func TestLoad_emptyVariablesCountAsUnset(t *testing.T) {
	none, err := load(t, nil, nil, "host: ::1\nsimplify-tools: [flatten]\n")
	if err != nil {
		t.Fatal(err)
	}
	empty := []string{"TENON_CONFIG=", "TENON_MODELS=", "TENON_STATE="}
	for _, s := range settings() {
		empty = append(empty, s.env()+"=")
	}
	l, err := load(t, nil, empty, "host: ::1\nsimplify-tools: [flatten]\n")
	if err != nil || !reflect.DeepEqual(l.Settings, none.Settings) || !reflect.DeepEqual(l.Sources, none.Sources) {
		t.Errorf("%v: %+v, want %+v", err, l, none)
	}
}

// inTheFile is how messages name the place of a setting.
var inTheFile = regexp.MustCompile(`the file \S+tenon.yaml, line 1,`)

func TestLoad_unknownAndWrongValuesAreErrorsThatNameThem(t *testing.T) {
	for _, c := range []struct {
		environ []string
		yaml    string
		want    string
	}{
		{[]string{"TENON_PROT=1"}, "", "TENON_PROT"},
		{nil, "\nprot: 1\n", `line 2: there is no setting "prot" (did you mean port?)`},
		{[]string{"TENON_CTXSIZE=1"}, "", "(did you mean TENON_CTX_SIZE?)"},
		{nil, "\n\nport: many\n", "tenon.yaml, line 3: "},
		{nil, "port: 1\nhost: a\nport: 2\n", "line 3: port stands in line 1 already"},
		{nil, "port: 65536\n", "port from the file is 65536; expected 65535 or less"},
		{nil, "parallel: 0\n", "parallel from the file is 0; expected 1 or more"},
		{[]string{"TENON_CTX_SIZE=-1"}, "", "ctx-size from the environment is -1; expected 0 or more"},
		{nil, "queue-timeout: 0s\n", "queue-timeout from the file is 0s"},
		{nil, "top-p: 1.5\n", "top-p from the file is 1.5; expected 1 or less"},
		{nil, "port: [1, 2]\n", "port"},
		{nil, "temp: .nan\n", "temp from the file"},
		{[]string{"TENON_FREQUENCY_PENALTY=NaN"}, "", "frequency-penalty from the environment is NaN; expected a number"},
		{nil, "dry-base: 1e39\n", "dry-base from the file is 1e+39; expected a number"},
		{nil, "repeat-penalty: 0\n", "repeat-penalty from the file is 0; expected more than 0"},
		{nil, "max-body: 9000000000000000000\n", "max-body from the file"},
		{nil, "debug-requests: -1\n", "debug-requests from the file"},
		{nil, "ctx-size: 3000000000\n", "ctx-size from the file is 3000000000; expected 134217728 or less"},
		{nil, "responses-max-age: -5s\n", "responses-max-age from the file"},
		{nil, "cache-type-k: q5_0\n", `cache-type-k from the file is "q5_0" (did you mean q8_0 or q4_0?); expected f16, q8_0 or q4_0`},
		{nil, "flash-attn: ''\n", `flash-attn from the file is ""; expected auto, on or off`},
		{[]string{"TENON_PROT="}, "", "TENON_PROT"},
		{nil, "load-mode: MMAP\n", "expected auto, mmap or none"},
		{nil, "pooling: most\n", "expected mean, cls, last or none"},
		{nil, "gpu-layers: -3\n", `gpu-layers from the file is "-3"; expected auto or a number`},
		{nil, "log-format: jsno\n", `is "jsno" (did you mean json?); expected text or json`},
		{nil, "port: 1\nhost:\n", "line 2: host: has no value"},
		{nil, "alias: [a, ~]\n", "alias: has no value"},
		{nil, "alias: {a: b}\n", "alias: takes a value or a list of them"},
		{nil, "alias: [[a], b]\n", "alias: takes a list of values, not of lists"},
		{nil, "- port\n", "tenon.yaml"},
		{nil, "port: 1\n  - x\n", "tenon.yaml"},
		{[]string{"TENON_CONFIG=/does/not/exist.yaml"}, "", "/does/not/exist.yaml"},
	} {
		if _, err := load(t, nil, c.environ, c.yaml); err == nil || !strings.Contains(inTheFile.ReplaceAllString(err.Error(), "the file"), c.want) {
			t.Errorf("%v %q: %v", c.environ, c.yaml, err)
		}
	}
}

// YAML would read a key of digits as an octal or a rounded number, and a name that looks like a
// date as a time.
func TestLoad_textOfTheFileIsTakenAsItStands(t *testing.T) {
	l, err := load(t, nil, nil, "api-key: [0123, 12345678901234567890123, 1e5]\nalias: [&a 2024-01-01, *a, \"q: r\"]\nflash-attn: on\ngpu-layers: 12\npooling: ''\nport: 0x10\n")
	if err != nil {
		t.Fatal(err)
	}
	s := l.Settings
	got := strings.Join(append(append(s.APIKey, s.Alias...), s.FlashAttn, s.GPULayers), "|")
	if want := "0123|12345678901234567890123|1e5|2024-01-01|2024-01-01|q: r|on|12"; got != want || s.Port != 16 {
		t.Errorf("%s, port %d, want %s", got, s.Port, want)
	}
}

func TestPrint_hidesKeys(t *testing.T) {
	l, err := load(t, []string{"--api-key", "sesame", "--responses-url", "postgres://u:sesame@h/d"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if b := fmt.Sprint(l.InForce()); strings.Contains(b, "sesame") || !strings.Contains(b, "(1 hidden)") || !strings.Contains(b, "responses-url (hidden)") {
		t.Error(b)
	}
}

func TestReference_isPrintedFromTheSource(t *testing.T) {
	var b strings.Builder
	if err := reference(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("REFERENCE.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("REFERENCE.md")
	if err != nil || string(got) != b.String() {
		t.Errorf("REFERENCE.md is not what the source prints (%v); run go test ./cmd/config -update", err)
	}
}
