package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the pages of the repository name must be there: the files they link to, and the files,
// targets and tests that they put between backticks.

var (
	pageLink    = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	namedTest   = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*)`")
	namedPath   = regexp.MustCompile("`((?:cmd|engine|grammar|models|server|templates|tools)(?:/[\\w.-]+)*)`")
	namedSource = regexp.MustCompile("`([\\w*./-]+\\.(?:go|md|c|h))`")
	makeTarget  = regexp.MustCompile("`make ([a-z][a-z-]*)")
	testFunc    = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	targetRule  = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
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
	files := map[string]bool{} // by their names alone: a sentence may name their folder first
	for path := range readAll(t, ".go", ".md", ".c", ".h") {
		files[filepath.Base(path)] = true
	}
	for page, text := range readAll(t, ".md") {
		for _, name := range matches(namedTest, text) {
			if !tests[name] {
				t.Errorf("%s names the test %s; there is none", page, name)
			}
		}
		for _, name := range matches(makeTarget, text) {
			if !targets[name] {
				t.Errorf("%s names the target %q; there is none", page, name)
			}
		}
		for _, name := range append(matches(namedPath, text), matches(namedSource, text)...) {
			if !files[name] && !present("../..", name) && !present(filepath.Dir(page), name) {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
	}
}

// present tells whether a pattern is that of a file or folder below a folder.
func present(folder, pattern string) bool {
	all, _ := filepath.Glob(filepath.Join(folder, pattern)) // the pattern is well formed
	return len(all) > 0
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

// fewFiles is how many files of a package explain themselves by their names.
const fewFiles = 5

var (
	namedFile   = regexp.MustCompile(`[\w*/-]+\.go\b`)
	namedPrefix = regexp.MustCompile(`\b([a-z]+_)[ ,]`)
)

// TestPages_eachFileIsExplained: whoever looks for something in a package of many files finds it
// by the package's comment, which lists them (or how their names begin), or by the comment with
// which a file begins.
func TestPages_eachFileIsExplained(t *testing.T) {
	for _, p := range packages(t) {
		files, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
		text, own := filesExplained(t, files)
		var missing []string
		for _, f := range files {
			if name := filepath.Base(f); len(files) > fewFiles && name != "doc.go" && !own[f] && !names(text, name) {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			t.Errorf("%s: its comment does not say what is in %v", p.ImportPath, missing)
		}
		for _, name := range namedFile.FindAllString(text, -1) {
			if !present("../..", name) && !present(p.Dir, name) {
				t.Errorf("%s: its comment names %s, which is not there", p.ImportPath, name)
			}
		}
	}
}

// names tells whether a package's comment names a file, by a pattern perhaps, or how its name
// begins.
func names(text, file string) bool {
	for _, name := range namedFile.FindAllString(text, -1) {
		if ok, _ := filepath.Match(name, file); ok {
			return true
		}
	}
	return slices.ContainsFunc(matches(namedPrefix, text), func(p string) bool { return strings.HasPrefix(file, p) })
}

// filesExplained is a package's comment, and which of its files begin with a comment of their own.
func filesExplained(t *testing.T, files []string) (text string, own map[string]bool) {
	t.Helper()
	own = map[string]bool{}
	for _, path := range files {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Doc != nil {
			text += file.Doc.Text()
			own[path] = true
		}
		for _, c := range file.Comments {
			first := file.FileEnd
			if len(file.Decls) > 0 {
				first = file.Decls[0].Pos()
			}
			// what stands right above a declaration is that one's
			apart := set.Position(first).Line - set.Position(c.End()).Line
			if c.Pos() > file.Name.End() && c.End() < first && apart > 1 {
				own[path] = true
			}
		}
	}
	return text, own
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
