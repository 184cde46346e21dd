package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the pages of the repository name must be there: the files they link to, and the files,
// targets and tests that the two pages for newcomers put between backticks.

var (
	pageLink   = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	namedTest  = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*)`")
	namedPath  = regexp.MustCompile("`((?:cmd|engine|grammar|models|server|templates|tools)(?:/[\\w.-]+)*)`")
	makeTarget = regexp.MustCompile("`make ([a-z][a-z-]*)")
	testFunc   = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	targetRule = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
)

func TestPages_linksLeadSomewhere(t *testing.T) {
	for page, text := range readAll(t, ".md") {
		for _, m := range pageLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}

func TestPages_whatTheyNameExists(t *testing.T) {
	tests := namesIn(readAll(t, "_test.go"), testFunc)
	targets := namesIn(readAll(t, "Makefile", ".mk"), targetRule)
	for _, page := range []string{"../../ARCHITECTURE.md", "../../CONTRIBUTING.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range matches(namedTest, string(text)) {
			if !tests[name] {
				t.Errorf("%s names the test %s; there is none", page, name)
			}
		}
		for _, name := range matches(makeTarget, string(text)) {
			if !targets[name] {
				t.Errorf("%s names the target %q; there is none", page, name)
			}
		}
		for _, name := range matches(namedPath, string(text)) {
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
	}
}

// TestPages_namedTestsExist: what make test-fast and the race detector leave out, by name, is
// there.
func TestPages_namedTestsExist(t *testing.T) {
	tests := namesIn(readAll(t, "_test.go"), testFunc)
	for _, file := range []string{"slow-tests.txt", "walks.txt"} {
		list, err := os.ReadFile("../scripts/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(string(list)) {
			if !tests[name] {
				t.Errorf("%s names the test %s; there is none", file, name)
			}
		}
	}
}

// readAll returns the texts of the repository's files whose names end in one of the suffixes.
func readAll(t *testing.T, suffixes ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); n == "build" || n == "bin" || n == ".git" || n == ".cache" {
				return filepath.SkipDir
			}
			return nil
		}
		for _, s := range suffixes {
			if strings.HasSuffix(path, s) {
				text, err := os.ReadFile(path)
				texts[path] = string(text)
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func namesIn(texts map[string]string, pattern *regexp.Regexp) map[string]bool {
	names := map[string]bool{}
	for _, text := range texts {
		for _, name := range matches(pattern, text) {
			names[name] = true
		}
	}
	return names
}

func matches(pattern *regexp.Regexp, text string) []string {
	var found []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}
