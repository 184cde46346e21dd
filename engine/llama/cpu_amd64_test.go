package llama

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// On a CPU that the build does not fit there is one clear line, and no illegal instruction.
func TestCPU_oneThatTheBuildDoesNotFit(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "main.c")
	if err := os.WriteFile(program, []byte("int main(void) { return 0; }"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(options ...string) (string, error) {
		made := filepath.Join(dir, "made")
		args := append(options, "-Wall", "-Werror", "-o", made, "cpu_amd64.c", program)
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command(made).CombinedOutput()
		return string(out), err
	}
	out, err := run("-mavx2", "-Dlacks(f)=(strcmp(f, \"avx2\") == 0)")
	if err == nil || strings.Count(out, "\n") != 1 || !strings.Contains(out, "AVX2, which this one lacks") || !strings.Contains(out, "CPU=") {
		t.Errorf("%v: %s", err, out)
	}
	for _, options := range [][]string{nil, {"-march=native", "-O3"}} {
		if out, err := run(options...); out != "" || err != nil {
			t.Errorf("built with %q: %v: %s", options, err, out)
		}
	}
}
