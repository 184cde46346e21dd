package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The test binary is also the process that is asked: its sub-command "ask" does what the question
// says.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "ask" {
		if err := Answer(os.Stdin, os.Stdout, obey); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func obey(order string) (string, error) {
	what, path, _ := strings.Cut(order, " ")
	switch what {
	case "read":
		text, err := os.ReadFile(path)
		return string(text), err
	case "flood":
		for range 1000 {
			_, _ = os.Stdout.Write(bytes.Repeat([]byte("x"), 64<<10))
			_, _ = os.Stderr.Write(bytes.Repeat([]byte("y"), 64<<10))
		}
	case "crash":
		var nowhere *int
		*nowhere = 1
	case "swell":
		return string(bytes.Repeat([]byte{1}, 1<<30)[:1]), nil
	case "panic":
		panic("\x00 evil")
	}
	return what, nil
}

func ask(t *testing.T, n Needs, order string) (string, error) {
	t.Helper()
	return Ask[string, string](t.Context(), os.Args[0], "ask", n, order)
}

func TestAsk_readsOnlyWhatItNeeds(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"model", "key"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("the "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	needs := Needs{Files: []string{filepath.Join(dir, "model"), filepath.Join(dir, "absent")}}
	if got, err := ask(t, needs, "read "+dir+"/model"); got != "the model" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a sandbox here")
	}
	if got, err := ask(t, needs, "read "+dir+"/key"); err == nil {
		t.Errorf("it read %q (without Landlock in the kernel it may)", got)
	}
}

// Whatever a hostile file makes of the process, it is an error and no more.
func TestAsk_endOfTheProcessIsAnError(t *testing.T) {
	for _, order := range []string{"crash", "panic", "flood"} {
		if got, err := ask(t, Needs{}, order); err == nil || len(err.Error()) > keptWords+200 {
			t.Errorf("%s: %.100q, %.500v", order, got, err)
		}
	}
	if got, err := ask(t, Needs{Memory: 512 << 20}, "swell"); err == nil && runtime.GOOS == "linux" {
		t.Errorf("it took twice the memory that it may: %q", got)
	}
	if got, err := ask(t, Needs{}, "fine"); got != "fine" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAsk_endsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ask[string, string](ctx, os.Args[0], "ask", Needs{}, "fine"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Keys and tokens are not inherited.
func TestEnvironment_isAnAllowList(t *testing.T) {
	kept := strings.Join(Environment([]string{
		"PATH=/bin", "LD_LIBRARY_PATH=/opt/lib", "CUDA_VISIBLE_DEVICES=0", "LC_ALL=C", "GGML_X=1",
		"TENON_API_KEY=k", "HF_TOKEN=k", "AWS_SECRET_ACCESS_KEY=k", "OPENAI_API_KEY=k", "HOME=/root",
		"SSH_AUTH_SOCK=/s", variable + "=x", "PATHOLOGICAL=k", "no equals sign",
	}), " ")
	if want := "PATH=/bin LD_LIBRARY_PATH=/opt/lib CUDA_VISIBLE_DEVICES=0 LC_ALL=C GGML_X=1"; kept != want {
		t.Errorf("kept %s", kept)
	}
}
