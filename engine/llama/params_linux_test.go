//go:build cgo && !libllama

package llama

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What is copied from headers that only ggml can include is as it stands there: the parameters of
// a thread, whose members have other types or another order nowhere.
func TestParams_layoutIsGGMLs(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/ollama/ollama").Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(strings.TrimSpace(string(out)), "ml/backend/ggml/ggml/src/ggml-cpu/ggml-cpu-impl.h")
	if got, want := members(t, "params_linux.h"), members(t, theirs); got != want {
		t.Errorf("ours:\n%s\nggml's:\n%s", got, want)
	}
}

var (
	params  = regexp.MustCompile(`(?s)struct ggml_compute_params \{(.*?)\n\};`)
	comment = regexp.MustCompile(`//[^\n]*`)
)

// members of ggml_compute_params in a header, without comments and empty space.
func members(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := params.FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has no ggml_compute_params", path)
	}
	return strings.Join(strings.Fields(comment.ReplaceAllString(string(found[1]), "")), " ")
}
