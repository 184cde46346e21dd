package tools

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// malformed is a line of testdata/malformed.jsonl: what models write in place of a call, made
// after the reports named in issue (repository initial and number, or a row of the requirements),
// and the calls that are meant.
type malformed struct {
	Name, Family, Issue, Raw string
	Calls                    []messageCall
	Thinking                 bool
}

// recovered is the least share of the corpus that must give the calls that are meant; it only
// rises.
const recovered = 1.0

// malformedLines is the corpus, read once.
func malformedLines(t *testing.T) []malformed {
	t.Helper()
	if len(corpus) > 0 {
		return corpus
	}
	data, err := os.ReadFile("testdata/malformed.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var c malformed
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		corpus = append(corpus, c)
	}
	return corpus
}

var corpus []malformed

func TestMalformed_callsAreRecovered(t *testing.T) {
	n, good := 0, 0
	for _, c := range malformedLines(t) {
		n++
		d, ok := Lookup(c.Family)
		if !ok {
			t.Fatalf("no family %q", c.Family)
		}
		p := planFor(t, d, Thinking{Open: c.Thinking})
		got := play(p.TextParser(), c.Raw, 0, false)
		if diff := cmp.Diff(c.Calls, got.Calls); diff == "" {
			good++
		} else {
			t.Logf("missed: %s in %s (%s): %q\n%s", c.Name, c.Family, c.Issue, c.Raw, diff)
		}
		for _, size := range []int{1, 5} {
			if diff := cmp.Diff(got, play(p.TextParser(), c.Raw, size, false)); diff != "" {
				t.Errorf("%s in %s: in pieces of %d (-whole +cut):\n%s", c.Name, c.Family, size, diff)
			}
		}
	}
	t.Logf("%d of %d recovered", good, n)
	if share := float64(good) / float64(n); share < recovered {
		t.Errorf("%d of %d recovered, %.1f %%; at least %.0f %% are expected", good, n, 100*share, 100*recovered)
	}
}
