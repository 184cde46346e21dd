package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// keyedGGUF is a GGUF without tensors. Its one key is text; a key and its value are short.
func keyedGGUF(key, value string) []byte {
	number := func(n int) string { return string([]byte{byte(n), 0, 0, 0, 0, 0, 0, 0}) }
	return []byte("GGUF\x03\x00\x00\x00" + number(0) + number(1) + number(len(key)) + key + "\x08\x00\x00\x00" + number(len(value)) + value)
}

// emptyGGUF is a model without weights.
var emptyGGUF = keyedGGUF("general.architecture", "llama")

// What was set for a model goes before its file's template, and that before Ollama's stand-in.
func TestChatTemplate_whichOneCounts(t *testing.T) {
	set := filepath.Join(t.TempDir(), "a.jinja")
	if err := os.WriteFile(set, []byte("set"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ set, own, fallback, want string }{
		{set, "own", "fallback", "set"}, {"", "own", "fallback", "own"}, {"", "", "fallback", "fallback"}, {"", "", "", ""},
	} {
		if got, err := (Entry{Template: c.set, Fallback: c.fallback}).ChatTemplate(c.own); got != c.want || err != nil {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	if _, err := (Entry{ID: "m", Template: set + "x"}).ChatTemplate("own"); err == nil || !strings.Contains(err.Error(), "m") {
		t.Errorf("a file that is not there: %v", err)
	}
}

func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, n := range names {
		p := filepath.Join(dir, n)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, emptyGGUF, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCatalog_aFolderGivesFriendlyIDs(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "Qwen3-0.6B-Q8_0.gguf", "mmproj-f16.gguf", "big-00001-of-00002.gguf", "big-00002-of-00002.gguf", "x/twin.gguf", "y/twin.gguf", "notes.txt")
	if err := os.WriteFile(filepath.Join(dir, "broken.gguf"), []byte("GGUF"), 0o644); err != nil {
		t.Fatal(err)
	}
	var c Catalog
	skipped, err := c.Add(dir)
	if err != nil || len(skipped) != 1 {
		t.Fatal(skipped, err)
	}
	names := c.Names()
	slices.Sort(names)
	if want := []string{"big", "qwen3-0.6b-q8_0", "twin", "y/twin"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// An adapter among models was listed as one, and so was a file that says nothing; both failed each
// time they were loaded.
func TestCatalog_whatIsNoModelIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	for name, file := range map[string][]byte{
		"lora.gguf": keyedGGUF("general.type", "adapter"), "matrix.gguf": keyedGGUF("general.type", "imatrix"), "mute.gguf": keyedGGUF("general.name", "x"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o644); err != nil {
			t.Fatal(err)
		}
		var c Catalog
		if _, err := c.Add(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), "general.") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var c Catalog
	if skipped, err := c.Add(dir); err != nil || len(skipped) != 3 || len(c.Entries) != 0 {
		t.Errorf("%v, %v, %v", skipped, err, c.Entries)
	}
}

func TestCatalog_aFileIsServedOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "m.gguf")
	var c Catalog
	for _, path := range []string{filepath.Join(dir, "m.gguf"), dir} {
		if _, err := c.Add(path); err != nil {
			t.Fatal(err)
		}
	}
	if names := c.Names(); !slices.Equal(names, []string{"m"}) {
		t.Errorf("%q", names)
	}
}

func TestCatalog_noNameMeansTheOnlyModel(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.gguf")
	var c Catalog
	if _, err := c.Add(dir); err != nil {
		t.Fatal(err)
	}
	if e, ok := c.Find(""); !ok || e.ID != "a" {
		t.Errorf("of one model %q, %v", e.ID, ok)
	}
	write(t, dir, "b.gguf")
	if _, err := c.Add(dir); err != nil {
		t.Fatal(err)
	}
	if e, ok := c.Find(""); ok {
		t.Errorf("of two models %q", e.ID)
	}
}

func TestCatalog_aNamedFileMustBeWhole(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "big-00001-of-00002.gguf", "part-00002-of-00002.gguf")
	for _, name := range []string{"big-00001-of-00002.gguf", "part-00002-of-00002.gguf", "none.gguf"} {
		var c Catalog
		if _, err := c.Add(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestAlias_mustBeFreeAndMeanSomething(t *testing.T) {
	c := Catalog{Entries: []Entry{{ID: "a"}, {ID: "b"}}}
	if err := c.Alias("gpt-4o", "b"); err != nil {
		t.Fatal(err)
	}
	if e, ok := c.Find("GPT-4o"); !ok || e.ID != "b" {
		t.Error(e, ok)
	}
	if c.Alias("a", "b") == nil || c.Alias("x", "none") == nil {
		t.Error("accepted")
	}
}

func TestCatalog_anUnreadableFolderIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadDir(dir); err == nil {
		t.Skip("this user may read every folder")
	}
	var c Catalog
	if _, err := c.Add(dir); err == nil || !strings.Contains(err.Error(), "read the model folder") {
		t.Errorf("%v", err)
	}
}

// A name that nobody gave here is not taken away, and what is said of it tells whose it is.
func TestName_ofTheSettingsStays(t *testing.T) {
	c := &Catalog{Entries: []Entry{{ID: "tiny", Aliases: []string{"gpt"}}}}
	for _, name := range []string{"gpt", "tiny"} {
		if err := c.Name(name, ""); !errors.Is(err, ErrTaken) || !strings.Contains(err.Error(), "tiny") || !strings.Contains(err.Error(), "settings") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var missing *NotFoundError
	if err := c.Name("other", ""); !errors.As(err, &missing) {
		t.Error(err)
	}
}
