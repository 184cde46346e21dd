package jinja

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// templatesDir holds the chat templates that vendors publish, which are not part of the project.
const templatesDir = "../../../shared/data/templates"

// conversationVars are a conversation's variables as transformers' apply_chat_template passes
// them; see golden.py.
func conversationVars(t testing.TB, name string) *Dict {
	vars := NewDict()
	for _, absent := range []string{"tools", "documents"} {
		vars.Set(absent, None)
	}
	vars.Set("add_generation_prompt", Bool(true))
	vars.Set("bos_token", NewString("<BOS>", Trusted))
	vars.Set("eos_token", NewString("<EOS>", Trusted))
	readVars(t, filepath.Join("testdata", "conversations", name+".json")).Each(vars.Set)
	return vars
}

func readTemplate(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(templatesDir, name+".jinja"))
	if os.IsNotExist(err) {
		t.Skipf("no templates in %s", templatesDir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestCorpus compares published templates with what Python makes of them. Only digests are kept
// here.
func TestCorpus(t *testing.T) {
	golden, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	conversations := map[string]*Dict{}
	// each is parsed once for all conversations
	templates := map[string]func() (*Template, error){}
	for _, line := range strings.Split(string(golden), "\n") {
		template, rest, _ := strings.Cut(line, " ")
		conversation, want, ok := strings.Cut(rest, " ")
		if !ok || template == "#" {
			continue
		}
		if conversations[conversation] == nil {
			conversations[conversation] = conversationVars(t, conversation)
		}
		if templates[template] == nil {
			source := readTemplate(t, template)
			templates[template] = sync.OnceValues(func() (*Template, error) { return Parse(source) })
		}
		parsed, err := templates[template]()
		out, failure := renderParsed(parsed, err, conversations[conversation])
		got := fmt.Sprintf("%x", sha256.Sum256([]byte(out)))
		if failure != "" {
			got = fmt.Sprintf("error %x", sha256.Sum256([]byte(failure)))
		}
		if got != want {
			t.Errorf("%s with %s differs from Python (failure here: %q); to see how:\n"+
				"  go test ./templates/jinja -run TestShow -v -args %[1]s %[2]s > ours\n"+
				"  python3 templates/jinja/testdata/golden.py render %[4]s/%[1]s.jinja %[2]s > python\n",
				template, conversation, failure, templatesDir)
		}
	}
}

// TestShow prints one template with one conversation, named as arguments; see TestCorpus.
func TestShow(t *testing.T) {
	args := os.Args
	for i, a := range args {
		if a == "-args" || a == "--" {
			args = args[i:]
		}
	}
	if n := len(os.Args); n < 3 || strings.HasPrefix(os.Args[n-1], "-") || strings.HasPrefix(os.Args[n-2], "-") {
		t.Skip("needs a template and a conversation as arguments")
	}
	n := len(os.Args)
	out, failure := renderGolden(readTemplate(t, os.Args[n-2]), conversationVars(t, os.Args[n-1]))
	fmt.Print(out, failure)
}

// templateNames lists the published templates, or skips the test.
func templateNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(templatesDir, "*.jinja"))
	if err != nil || len(files) == 0 {
		t.Skipf("no templates in %s", templatesDir)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".jinja")
	}
	return files
}
