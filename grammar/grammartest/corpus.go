package grammartest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What make test-corpus sets, for tests to walk more than their samples.
const (
	// all, or an expression that matches the names of schemas
	AllEnv = "TENON_MASKBENCH"
	// a number: the schemas come in an order that it decides
	SeedEnv = "TENON_CORPUS_SEED"
	// a test that has walked for so long takes no more schemas
	SecondsEnv = "TENON_CORPUS_SECONDS"
)

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

// Schemas calls f for every so many-th schema of ../shared, in the file's order, or for those that
// the environment says. Without the file the test is skipped.
func Schemas(t testing.TB, every int, f func(Case)) {
	t.Helper()
	lines := schemaLines(t)
	if os.Getenv(AllEnv) == "" {
		for i := 0; i < len(lines); i += every {
			f(readCase(t, lines[i]))
		}
		return
	}
	end := time.Now().Add(time.Duration(number(t, SecondsEnv, math.MaxInt32)) * time.Second)
	if seed := number(t, SeedEnv, 0); seed != 0 {
		rand.New(rand.NewPCG(uint64(seed), 0)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	walked, names := 0, chosen(t)
	for ; walked < len(lines) && time.Now().Before(end); walked++ {
		if c := readCase(t, lines[walked]); names.MatchString(c.Name) {
			f(c)
		}
	}
	t.Logf("%d of %d schemas; %s=%s", walked, len(lines), SeedEnv, os.Getenv(SeedEnv))
}

// chosen matches the names of the schemas that the environment asks for.
func chosen(t testing.TB) *regexp.Regexp {
	t.Helper()
	expression := os.Getenv(AllEnv)
	if expression == "all" {
		expression = ""
	}
	names, err := regexp.Compile(expression)
	if err != nil {
		t.Fatalf("%s: %v", AllEnv, err)
	}
	return names
}

// schemaLines is the file of labelled schemas, one JSON text for each.
func schemaLines(t testing.TB) [][]byte {
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
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}

func readCase(t testing.TB, line []byte) (c Case) {
	t.Helper()
	if err := json.Unmarshal(line, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// number is what a variable of the environment says, or what holds without it.
func number(t testing.TB, variable string, without int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return without
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// Shared is the path of a file of ../shared, which lies beside the project. The test is skipped
// where it does not.
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

// Mutate changes a text a little; mostly it is no instance then, or no JSON.
func Mutate(text string, rng *rand.Rand) string {
	if text == "" {
		return "x"
	}
	i := rng.IntN(len(text))
	const bytes = `{}[]",:0123456789-.eEtrufalsn \x/`
	with := string(bytes[rng.IntN(len(bytes))])
	switch rng.IntN(4) {
	case 0:
		return text[:i] + text[i+1:]
	case 1:
		return text[:i] + with + text[i:]
	case 2:
		return text[:i] + with + text[i+1:]
	}
	return text[:i]
}
