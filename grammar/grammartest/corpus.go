package grammartest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// AllEnv is the variable that makes tests walk every schema (all), or those
// whose name holds its value, instead of a sample.
const AllEnv = "TENON_MASKBENCH"

// Case is one labelled schema.
type Case struct {
	Name   string
	Schema json.RawMessage
	Tests  []Instance
}

// Instance is a JSON text and whether it belongs to the schema.
type Instance struct {
	Valid bool
	Data  json.RawMessage
}

// MadeUp reports whether a schema was made up to be hard rather than found.
func (c Case) MadeUp() bool {
	return strings.HasPrefix(c.Name, "Handwritten") || strings.HasPrefix(c.Name, "Synthesized")
}

// Schemas calls f for every so many-th schema of ../shared, in the file's order.
// Without the file the test is skipped.
func Schemas(t testing.TB, every int, f func(Case)) {
	t.Helper()
	file, err := os.Open(Shared(t, "data/schemas/maskbench-dev.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	only := os.Getenv(AllEnv)
	for i := 0; lines.Scan(); i++ {
		if only == "" && i%every != 0 {
			continue
		}
		var c Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		if only == "" || only == "all" || strings.Contains(c.Name, only) {
			f(c)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// Shared is the path of a file of ../shared, which lies beside the project. The
// test is skipped where it does not.
func Shared(t testing.TB, name string) string {
	t.Helper()
	for _, up := range []string{"..", "../..", "../../.."} {
		path := filepath.Join(up, "..", "shared", name)
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	t.Skipf("../shared/%s is not beside the project", name)
	return ""
}
