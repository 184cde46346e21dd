package jinja

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// goldenNow is the clock of testdata/golden.py.
var goldenNow = time.Date(2025, 3, 9, 14, 5, 6, 789012000, time.UTC)

// renderGolden renders as golden.py does: the output, or how it fails.
func renderGolden(source string, vars *Dict) (out, failure string) {
	t, err := Parse(source)
	return renderParsed(t, err, vars)
}

// renderParsed is renderGolden behind Parse.
func renderParsed(t *Template, err error, vars *Dict) (out, failure string) {
	if err == nil {
		var o Output
		if o, err = t.Render(vars, Options{Now: goldenNow}); err == nil {
			return o.Text, ""
		}
	}
	if raised := (*RaisedError)(nil); errors.As(err, &raised) {
		return "", "raised: " + raised.Msg
	}
	return "", "fails"
}

func readVars(t testing.TB, path string) *Dict {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	v, err := FromJSON(data, Content)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*Dict)
}

// TestLanguage compares with what Python's Jinja2 made of every case of testdata/language; see
// golden.py.
func TestLanguage(t *testing.T) {
	vars := readVars(t, "testdata/language/vars.json")
	files, err := filepath.Glob("testdata/language/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(file), ".txt")
		var template []string
		for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
			switch {
			case strings.HasPrefix(line, "#: "):
			case strings.HasPrefix(line, "\t"):
				source := strings.Join(template, "\n")
				template = nil
				t.Run(fmt.Sprintf("%s/line%d", base, i+1), func(t *testing.T) { checkCase(t, source, line, vars) })
			default:
				template = append(template, line)
			}
		}
	}
}

func checkCase(t *testing.T, source, expectation string, vars *Dict) {
	out, failure := renderGolden(source, vars)
	var want string
	if err := json.Unmarshal([]byte(expectation), &want); err == nil {
		if failure != "" {
			t.Errorf("template %s\nfails: %s\nwant:  %q", source, failure, want)
		} else if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("template %s\n(-Python +ours):\n%s", source, diff)
		}
		return
	}
	var wantErr struct{ Error string }
	if err := json.Unmarshal([]byte(expectation), &wantErr); err != nil {
		t.Fatal(err)
	}
	if failure != wantErr.Error {
		t.Errorf("template %s\noutput: %q\nfails: %s\nwant:  %s", source, out, failure, wantErr.Error)
	}
}
