package grammartest

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"strings"
	"testing"
)

// Suite is the official JSON-Schema-Test-Suite: its required tests by draft folder and file, and
// its remote documents by URI.
type Suite struct {
	Files   map[string]map[string][]SuiteGroup
	Remotes map[string][]byte
}

// SuiteGroup is one schema of the suite with its tests.
type SuiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []SuiteTest
}

// SuiteTest is one instance.
type SuiteTest struct {
	Description string
	Data        json.RawMessage
	Valid       bool
}

// ReadSuite reads the suite of ../shared. Without it the test is skipped.
func ReadSuite(t testing.TB) Suite {
	t.Helper()
	f, err := os.Open(Shared(t, "data/schemas/json-schema-test-suite.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := Suite{Files: map[string]map[string][]SuiteGroup{}, Remotes: map[string][]byte{}}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return s
		}
		if err != nil {
			t.Fatal(err)
		}
		if path.Ext(h.Name) != ".json" {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		s.add(t, strings.TrimPrefix(h.Name, "./"), text)
	}
}

func (s Suite) add(t testing.TB, name string, text []byte) {
	if rest, ok := strings.CutPrefix(name, "remotes/"); ok {
		s.Remotes["http://localhost:1234/"+rest] = text
		return
	}
	parts := strings.Split(name, "/")
	if len(parts) != 3 || parts[0] != "tests" {
		return // optional tests lie deeper
	}
	var groups []SuiteGroup
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	if s.Files[parts[1]] == nil {
		s.Files[parts[1]] = map[string][]SuiteGroup{}
	}
	s.Files[parts[1]][parts[2]] = groups
}
