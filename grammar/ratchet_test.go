package grammar

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema"
)

var update = flag.Bool("update", false, "rewrite the lists of verdicts")

// The files list what is not ok, one name and verdict a line. The lists may only get shorter.
const (
	maskBenchVerdicts = "testdata/maskbench.txt"
	suiteVerdicts     = "testdata/suite.txt"
	ratchetEvery      = 7 // the step of the sample of schemas
)

// TestRatchet_schemasOfMaskBench: the verdicts of the matcher on every labelled schema.
func TestRatchet_schemasOfMaskBench(t *testing.T) {
	var got []string
	seen := map[string]bool{}
	grammartest.Schemas(t, ratchetEvery, func(c grammartest.Case) {
		seen[c.Name] = true
		DropCaches()
		g, err := FromSchema(c.Schema, SchemaOptions{})
		var texts []string
		var valid []bool
		for _, x := range c.Tests {
			texts, valid = append(texts, spelling{}.Spell(x.Data)), append(valid, x.Valid)
		}
		if v := verdictOf(g, err, texts, valid); v != "ok" {
			got = append(got, c.Name+" "+v)
		}
	})
	ratchet(t, maskBenchVerdicts, got, seen, os.Getenv(grammartest.AllEnv) == "all")
}

// TestRatchet_officialSuite: the verdicts of the matcher on the required tests, one for each test.
// The documents that the suite wants to be known are the caller's.
func TestRatchet_officialSuite(t *testing.T) {
	suite := grammartest.ReadSuite(t)
	var got []string
	seen := map[string]bool{}
	for folder, draft := range map[string]string{"draft4": "http://json-schema.org/draft-04/schema#", "draft6": "http://json-schema.org/draft-06/schema#",
		"draft7": "http://json-schema.org/draft-07/schema#", "draft2019-09": "https://json-schema.org/draft/2019-09/schema", "draft2020-12": "https://json-schema.org/draft/2020-12/schema"} {
		exact, all := 0, 0
		for file, groups := range suite.Files[folder] {
			for _, group := range groups {
				g, err := FromSchema(withDraft(group.Schema, draft), SchemaOptions{Formats: AnnotateFormats, Documents: suite.Remotes})
				for _, x := range group.Tests {
					name := strings.ReplaceAll(folder+"/"+file+"/"+group.Description+"/"+x.Description, " ", "_")
					seen[name] = true
					all++
					v := verdictOf(g, err, []string{spelling{}.Spell(x.Data)}, []bool{x.Valid})
					if v == "ok" {
						exact++
					} else {
						got = append(got, name+" "+v)
					}
				}
			}
		}
		t.Logf("%s: %d of %d exact", folder, exact, all)
	}
	ratchet(t, suiteVerdicts, got, seen, true)
}

// withDraft names the draft in a schema that does not.
func withDraft(text []byte, draft string) []byte {
	if len(text) > 0 && text[0] == '{' && !strings.Contains(string(text), `"$schema"`) {
		name, _ := json.Marshal(draft) // a string always can be written
		comma := ","
		if strings.TrimSpace(string(text[1:len(text)-1])) == "" {
			comma = ""
		}
		return []byte(`{"$schema":` + string(name) + comma + string(text[1:]))
	}
	return text
}

func verdictOf(g *Grammar, err error, texts []string, valid []bool) string {
	var unsat *schema.UnsatError
	var unsupported *schema.UnsupportedError
	if err != nil && (!errors.As(err, &unsat) || slices.Contains(valid, true)) {
		if errors.As(err, &unsupported) && unsupported.Keyword != "" {
			return "unsupported:" + unsupported.Keyword
		}
		return "unsupported:"
	}
	v := "ok"
	for i, text := range texts {
		switch accepted := err == nil && accepts(g, text); {
		case accepted && !valid[i]:
			v = "accepted-invalid"
		case !accepted && valid[i]:
			v = "refused-valid"
		}
	}
	return v
}

// ratchet compares what is not ok with the list of a file. Only a walk over everything can tell
// that the list is too long.
func ratchet(t *testing.T, file string, got []string, seen map[string]bool, everything bool) {
	t.Helper()
	slices.Sort(got)
	if *update && everything {
		if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		listed[strings.TrimSpace(line)] = true
	}
	for _, line := range got {
		if !listed[line] {
			t.Errorf("newly: %s", line)
		}
		delete(listed, line)
	}
	for line := range listed {
		if name, _, _ := strings.Cut(line, " "); seen[name] && line != "" {
			t.Errorf("better than listed in %s: %s: shorten the list with -update", file, line)
		}
	}
}
