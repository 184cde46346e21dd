package jinja

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestDifferential compares random templates with Python. JINJA_FUZZ names the seed,
// JINJA_FUZZ_COUNT how many; make jinja-fuzz runs it.
func TestDifferential(t *testing.T) {
	seed := os.Getenv("JINJA_FUZZ")
	if seed == "" {
		t.Skip("needs Python with Jinja2 3.1.6 and a seed in JINJA_FUZZ")
	}
	count := os.Getenv("JINJA_FUZZ_COUNT")
	if count == "" {
		count = "2000"
	}
	cmd := exec.Command("python3", "testdata/golden.py", "fuzz", seed, count)
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	vars := readVars(t, "testdata/language/vars.json")
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 64<<20)
	n := 0
	for ; lines.Scan(); n++ {
		var want struct{ Template, Out, Error string }
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		out, failure := renderGolden(want.Template, vars)
		if (out != want.Out || failure != want.Error) && !refused(want.Template, vars) {
			t.Errorf("template %q\nours   %q %s\nPython %q %s", want.Template, out, failure, want.Out, want.Error)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d templates compared", n)
}

// refused reports a template that uses what is left out on purpose.
func refused(template string, vars *Dict) bool {
	t, err := Parse(template)
	if err == nil {
		_, err = t.Render(vars, Options{})
	}
	return err != nil && (strings.Contains(err.Error(), tooLarge) || strings.Contains(err.Error(), noFormatting))
}
