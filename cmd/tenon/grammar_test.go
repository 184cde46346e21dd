package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// runCommand runs a command with arguments and returns what it printed.
func runCommand(c *cobra.Command, args ...string) (out, errOut string, err error) {
	var stdout, stderr bytes.Buffer
	c.SetArgs(args)
	c.SetOut(&stdout)
	c.SetErr(&stderr)
	c.SilenceUsage, c.SilenceErrors = true, true
	err = c.Execute()
	return stdout.String(), stderr.String(), err
}

// textFile writes a file and returns its path.
func textFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGrammarPrint_everyKindInEveryDialect: each kind of source is known by its
// flag and by its extension.
func TestGrammarPrint_everyKindInEveryDialect(t *testing.T) {
	for _, c := range []struct{ flag, file, text string }{
		{"--schema", "s.json", `{"enum":["a","b"]}`},
		{"--gbnf", "g.gbnf", `root ::= "a" | [b-c]+`},
		{"--regex", "r.regex", "[a-z]{2,3}\n"},
		{"--lark", "l.lark", "start: \"a\" WORD\n%import common.WORD\n"},
		{"--tools", "t.json", `[{"type":"function","function":{"name":"get","parameters":{"type":"object"}}}]`},
	} {
		path := textFile(t, c.file, c.text)
		for as, sign := range map[string]string{"tenon": "root ::= ", "gbnf": "root ::= ", "xgrammar": "root ::= "} {
			out, _, err := runCommand(newGrammarCommand(), "print", "--as", as, c.flag, path)
			if err != nil || !strings.Contains(out, sign) {
				t.Errorf("%s --as %s: %v\n%s", c.flag, as, err, out)
			}
			if c.flag == "--tools" {
				continue // the extension says that it is a schema
			}
			if byExtension, _, err := runCommand(newGrammarCommand(), "print", "--as", as, path); err != nil || byExtension != out {
				t.Errorf("%s by its extension, --as %s: %v\n%s", c.file, as, err, byExtension)
			}
		}
	}
	_, errOut, err := runCommand(newGrammarCommand(), "print", "--as", "gbnf", textFile(t, "s.json", `{"type":"array","uniqueItems":true,"items":{"const":"a"}}`))
	if err != nil || !strings.Contains(errOut, "loosened: uniqueItems") || !strings.Contains(errOut, "narrowed: strings") {
		t.Errorf("what is different is not told: %v, %q", err, errOut)
	}
	if _, _, err := runCommand(newGrammarCommand(), "print", "--as", "yacc", textFile(t, "g.gbnf", `root ::= "a"`)); err == nil || !strings.Contains(err.Error(), "tenon, gbnf and xgrammar") {
		t.Errorf("an unknown dialect: %v", err)
	}
}

func TestGrammarTest_saysWhereAndWhy(t *testing.T) {
	path := textFile(t, "s.json", `{"type":"object","properties":{"n":{"type":"integer","maximum":5}},"required":["n"]}`)
	out, _, err := runCommand(newGrammarCommand(), "test", path, `{"n":4}`, textFile(t, "x.json", "{\"n\": 7}\n"), `{"n":4`)
	if err == nil || err.Error() != "2 of 3 refused" {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{`{"n":4}: accepted`, `refused at byte 6: "7}" cannot follow "{\"n\": "`, "the text ends too early"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, _, _ = runCommand(newGrammarCommand(), "test", "--json", path, `{"n":9}`)
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil || v["accepted"] != false || v["byte"] != 5.0 || v["why"] == "" || v["instance"] != `{"n":9}` {
		t.Errorf("%v: %s", err, out)
	}
	if out, _, err := runCommand(newGrammarCommand(), "test", path, `{"n":-1}`); err != nil || !strings.HasSuffix(out, "accepted\n") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestCheck_saysWhatBecomesOfEachTool: enforced, checked afterwards, dropped, or
// not callable, each with its pointer.
func TestCheck_saysWhatBecomesOfEachTool(t *testing.T) {
	path := textFile(t, "tools.json", `[
		{"type":"function","function":{"name":"plain","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}},
		{"name":"odd","input_schema":{"type":"object","properties":{"b":{"type":"dict"},"c":{"$ref":"https://example.com/c"},"d":{"type":"string","pattern":"(a)\\1"}}}},
		{"name":"never","inputSchema":{"type":"object","required":["x"],"properties":{"x":false}}},
		{"name":"broken","parameters":{"required":"a"}}]`)
	out, _, err := runCommand(newCheckCommand(), path)
	if err == nil || err.Error() != "2 of 4 tools cannot be called" {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{"plain: enforced (", "odd: enforced but for (", "enforced type at /properties/b", "dropped $ref at /properties/c", "checked pattern at /properties/d",
		"never: cannot be called: ", "broken: cannot be called: ", "/required"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, _, _ = runCommand(newCheckCommand(), "--json", path)
	var list []struct {
		Name     string
		Callable bool
		Error    string
		Bytes    int
		Issues   []struct{ Pointer, Keyword, Action, Why string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 4 || len(list[1].Issues) != 3 || list[2].Callable || list[3].Error == "" {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.Contains(out, `"pointer":"/properties/c"`) || list[1].Issues[1].Action == "" {
		t.Errorf("issues %s", out)
	}
}

// TestGrammarTest_documentsAreWhatReferencesLeadTo: nothing is fetched, so the
// caller may hand in what a schema refers to.
func TestGrammarTest_documentsAreWhatReferencesLeadTo(t *testing.T) {
	path := textFile(t, "s.json", `{"$ref":"https://example.com/list.json#/items"}`)
	if _, _, err := runCommand(newGrammarCommand(), "test", path, `1`); err == nil || !strings.Contains(err.Error(), "$ref") || !strings.Contains(err.Error(), "nothing is fetched") {
		t.Errorf("without the document: %v", err)
	}
	document := textFile(t, "list.json", `{"items":{"type":"integer"}}`)
	out, _, err := runCommand(newGrammarCommand(), "test", "--document", "https://example.com/list.json="+document, path, `1`)
	if err != nil || !strings.Contains(out, "accepted") {
		t.Errorf("with it: %v, %s", err, out)
	}
	if _, _, err = runCommand(newGrammarCommand(), "test", "--document", "https://example.com/list.json="+document+".gone", path, `1`); err == nil || !strings.Contains(err.Error(), "https://example.com/list.json") {
		t.Errorf("with a file that is not there: %v", err)
	}
}

// TestGrammar_readsWhatEditorsAndPipesGive: files that begin with a byte order mark, and standard
// input.
func TestGrammar_readsWhatEditorsAndPipesGive(t *testing.T) {
	const mark = "\uFEFF"
	for name, text := range map[string]string{"s.json": `{"type":"string"}`, "g.gbnf": "root ::= \"\\\"a\\\"\"\r\n", "r.regex": `"a"`, "l.lark": `start: "\"a\""`} {
		out, _, err := runCommand(newGrammarCommand(), "test", textFile(t, name, mark+text), textFile(t, "instance", mark+"\"a\"\r\n"))
		if err != nil || !strings.Contains(out, "accepted") {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	c := newGrammarCommand()
	c.SetIn(strings.NewReader(`{"type":"string"}`))
	if out, _, err := runCommand(c, "test", "--schema", "-", `"a"`); err != nil || !strings.Contains(out, "accepted") {
		t.Errorf("standard input: %q, %v", out, err)
	}
	if _, _, err := runCommand(newCheckCommand(), textFile(t, "t.json", mark+`[{"name":"f"}]`)); err != nil {
		t.Error(err)
	}
}

// TestGrammar_errorsSayWhatToDo: what a user does wrong is told with the file and
// with what helps.
func TestGrammar_errorsSayWhatToDo(t *testing.T) {
	ref := textFile(t, "ref.json", `{"properties":{"a":{"$ref":"https://example.com/x"}}}`)
	loose := textFile(t, "loose.json", `{"properties":{"a":{"$ref":"https://example.com/x"},"b":{"type":"string","pattern":"(a)\\1"}}}`)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"print"}, []string{"give one file with a grammar", "grammar print", "FILE"}},
		{[]string{"test", ref}, []string{"texts to judge", "INSTANCE"}},
		{[]string{"print", ref}, []string{"ref.json", "/properties/a", "--document", "--lenient"}},
		{[]string{"print", textFile(t, "p.json", `{"pattern":"(a)\\1"}`)}, []string{"p.json", "pattern", "--lenient"}},
		{[]string{"print", textFile(t, "g.txt", `root ::= "a"`)}, []string{"--schema, --gbnf"}},
		{[]string{"print", textFile(t, "g.gbnf", "root ::= a\n")}, []string{"g.gbnf", "line 1", `"a" is not defined`}},
		{[]string{"print", textFile(t, "r.regex", "a)|(b\n")}, []string{"r.regex", `"a)|(b"`}},
		{[]string{"print", textFile(t, "l.lark", "start: WORD2\n")}, []string{"l.lark", "WORD2"}},
		{[]string{"print", textFile(t, "n.json", `{"type":"string","minLength":3,"maxLength":2}`)}, []string{"n.json", "minLength, maxLength"}},
		{[]string{"print", "--tools", textFile(t, "o.json", `{"a":1}`)}, []string{"o.json", "neither an array of tools"}},
		{[]string{"print", "--tools", textFile(t, "s.json", `[{"name":"f","parameters":5}]`)}, []string{`tool "f"`, "neither an object nor a boolean"}},
		{[]string{"print", textFile(t, "tools.json", `[{"name":"f"}]`)}, []string{"tools.json", "--tools"}},
		{[]string{"print", "--tools", textFile(t, "n.json", `[{"name":NaN}]`)}, []string{"not JSON", "'N'"}},
		{[]string{"print", "--tools", textFile(t, "w.json", `[{"name":"f"},{"name":5}]`)}, []string{"element 1", "an object with a name"}},
		{[]string{"shout"}, []string{"unknown command", "shout"}},
		{[]string{"print", "--tools", textFile(t, "e.json", `[]`)}, []string{"the array is empty"}},
		{[]string{"print", "--tools", textFile(t, "q.json", `[{"name":"f","parameters":{"properties":{"a":{"required":"a"}}}}]`)}, []string{"tool f", "/properties/a/required"}},
	} {
		_, _, err := runCommand(newGrammarCommand(), c.args...)
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v, without %q", c.args, err, want)
			}
		}
	}
	if out, _, _ := runCommand(newGrammarCommand(), "test", "--gbnf", textFile(t, "row.gbnf", "root ::= "+strings.Repeat(`"a"? `, 5000)), "aaa"); !strings.Contains(out, "too many ways") {
		t.Errorf("a limit is told as %q", out)
	}
	_, errOut, err := runCommand(newGrammarCommand(), "test", "--lenient", loose, `{"b":"xx"}`)
	if err != nil || !strings.Contains(errOut, "dropped: $ref at /properties/a") || !strings.Contains(errOut, "checked: pattern at /properties/b") {
		t.Errorf("leniently: %v, %q", err, errOut)
	}
	if _, _, err := runCommand(newGrammarCommand(), "print", "--tools", textFile(t, "request.json", `{"model":"m","tools":[{"name":"f","parameters":{}}]}`)); err != nil {
		t.Errorf("a whole request: %v", err)
	}
}

// Issue 19: arguments are objects whatever a schema allows, two tools of one name are refused
// together, and what is not called here passes.
func TestCheck_saysWhatAToolSetComesTo(t *testing.T) {
	list, err := checkTools(t.Context(), []byte(`[
		{"type":"function","function":{"name":"any","parameters":{}}},
		{"type":"function","function":{"name":"text","parameters":{"type":"string"}}},
		{"type":"function","name":"go","parameters":{"type":"object","required":null,"properties":null}},
		{"type":"web_search"},
		{"name":"deep","parameters":`+strings.Repeat(`{"items":`, 300)+"{}"+strings.Repeat("}", 300)+`},
		{"name":"go","input_schema":{"type":"object"}}]`), "")
	if err != nil {
		t.Fatal(err)
	}
	said := describeChecked(list)
	for _, want := range []string{
		"any: enforced but for", "enforced type at the root: arguments are always an object", "text: cannot be called", "go: enforced (",
		"web_search: hosted", "deep: cannot be called: its schema is nested more than 256 deep", "go: cannot be called: element 2 has the same name",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
}
