package jinja

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The reference page lists what there is: every filter, test, global and attribute, and nothing
// else.
func TestReference_listsWhatThereIs(t *testing.T) {
	page, err := os.ReadFile("REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	for heading, table := range map[string][]string{
		"## Filters": slices.Sorted(maps.Keys(filters)),
		"## Tests":   slices.Sorted(maps.Keys(tests)),
		"## Globals": slices.Sorted(maps.Keys(globals)),
	} {
		if diff := cmp.Diff(table, listed(t, string(page), heading)); diff != "" {
			t.Errorf("%s (-package +page):\n%s", heading, diff)
		}
	}
	if diff := cmp.Diff(allowed(dictMethods), listed(t, string(page), "| dict |")); diff != "" {
		t.Errorf("attributes of dict (-package +page):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(strMethods)), listed(t, string(page), "| str |")); diff != "" {
		t.Errorf("methods of str (-package +page):\n%s", diff)
	}
}

// The limits that are no options are the page's own.
func TestReference_namesTheFixedLimits(t *testing.T) {
	page, err := os.ReadFile("REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(strings.ReplaceAll(string(page), ",", ""), "## Limits")
	for what, limit := range map[string]int{"bytes": maxSource} {
		if want := fmt.Sprintf("%d %s", limit, what); !strings.Contains(section, want) {
			t.Errorf("the page does not name the limit of %s", want)
		}
	}
}

// What is left out on purpose is not there.
func TestReference_whatIsLeftOutIsNotThere(t *testing.T) {
	for _, name := range []string{"lipsum", "joiner"} {
		if globals[name] != nil {
			t.Errorf("the global %s is there", name)
		}
	}
	for _, name := range []string{"encode", "maketrans", "center"} {
		if strMethods[name] != nil {
			t.Errorf("the method %s of str is there", name)
		}
	}
}

// listed are the words in the first code span behind a heading, sorted.
func listed(t *testing.T, page, heading string) []string {
	t.Helper()
	_, section, found := strings.Cut(page, heading)
	if !found {
		t.Fatalf("the page has no %q", heading)
	}
	span := regexp.MustCompile("(?s)`([^`]+)`").FindStringSubmatch(section)
	if span == nil {
		t.Fatalf("%q lists nothing", heading)
	}
	words := strings.Fields(span[1])
	slices.Sort(words)
	return words
}

// allowed are the methods that the sandbox does not withhold.
func allowed(table map[string]*native) []string {
	var names []string
	for name, m := range table {
		if m != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
