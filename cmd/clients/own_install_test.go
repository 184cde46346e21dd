package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Issue 7: clients are installed at pinned versions; a pin that no row uses is installed by
// nobody.
func TestPins_areExactAndUsed(t *testing.T) {
	used := map[string]bool{}
	for _, c := range clients {
		if _, ok := pins[c.environment]; !ok {
			t.Errorf("%s is not pinned", c.name)
		}
		used[c.environment] = true
	}
	exact := map[manager]*regexp.Regexp{
		npm: regexp.MustCompile(`^@?[a-z0-9/-]+@\d+\.\d+\.\d+$`),
		pip: regexp.MustCompile(`^[a-z0-9-]+(\[[a-z,]+\])?==\d+\.\d+\.\d+$`),
	}
	for name, e := range pins {
		if !used[name] {
			t.Errorf("%s is pinned and has no row", name)
		}
		for _, p := range e.packages {
			if !exact[e.manager].MatchString(p) {
				t.Errorf("%s: %s is no exact version of %s", name, p, e.manager)
			}
		}
	}
}

// fakeTools puts programs into the path that note how they were called, in place of the real ones.
func fakeTools(t *testing.T, programs map[string]string) (calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "calls")
	for name, script := range programs {
		text := "#!/bin/sh\necho \"" + name + " $*\" >>" + log + "\n" + script + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil { //nolint:gosec // a program must be executable
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	return func() []string {
		b, err := os.ReadFile(log)
		if err != nil {
			return nil
		}
		return strings.Split(strings.TrimSpace(string(b)), "\n")
	}
}

func TestInstall_eachEnvironmentOnceAndNoPackagesOwnScripts(t *testing.T) {
	calls := fakeTools(t, map[string]string{"npm": "", "node": "echo v22.1.0"})
	dir := t.TempDir()
	for range 2 { // the second run finds what the first installed
		i := &installer{dir: dir, node: "node", done: map[string]error{}}
		for range 2 {
			if _, err := i.install(t.Context(), "js"); err != nil {
				t.Fatal(err)
			}
		}
	}
	installs := 0
	for _, c := range calls() {
		if strings.HasPrefix(c, "npm ") {
			installs++
			if !strings.Contains(c, "--ignore-scripts") || !strings.Contains(c, "openai@") {
				t.Error(c)
			}
		}
	}
	if installs != 1 {
		t.Errorf("%d installations: %q", installs, calls())
	}
}

func TestInstall_failuresSayWhatToDo(t *testing.T) {
	fakeTools(t, map[string]string{"npm": "echo E404 not found; exit 1", "node": "echo v22.1.0"})
	i := &installer{dir: t.TempDir(), node: "node", done: map[string]error{}}
	if _, err := i.install(t.Context(), "js"); err == nil || !strings.Contains(err.Error(), "E404") {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", t.TempDir())
	for name, tool := range map[string]string{"agents": "npm", "python": "python3"} {
		if _, err := i.install(t.Context(), name); err == nil || !strings.Contains(err.Error(), tool+" is not installed; get it") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInstall_anOldNodeIsReplaced(t *testing.T) {
	fakeTools(t, map[string]string{"node": "echo v18.0.0", "broken": "exit 1", "odd": "echo nightly"})
	for program, want := range map[string]int{"node": 18, "broken": 0, "odd": 0, "missing": 0} {
		if got := nodeVersion(t.Context(), program); got != want {
			t.Errorf("%s: %d, want %d", program, got, want)
		}
	}
}
