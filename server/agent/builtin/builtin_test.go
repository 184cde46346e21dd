package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tenon/engine/sandbox"
	"tenon/server/agent"
)

// TestMain makes the test's own program the one that confines itself.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == sandbox.CommandName {
		n, err := sandbox.Decode(os.Args[2])
		if err == nil {
			err = sandbox.Become(n)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(sandbox.NotRun)
	}
	// children of a race-detecting binary would end a second late
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// place is a folder that a tool may use, beside one that it may not.
type place struct{ root, secret string }

const sesame = "SESAME-OPEN"

func newPlace(t *testing.T) place {
	t.Helper()
	base := t.TempDir()
	p := place{filepath.Join(base, "root"), filepath.Join(base, "secret")}
	for _, dir := range []string{p.root + "/sub", p.secret} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{p.root + "/a.txt": "hello", p.root + "/sub/b.txt": "b", p.secret + "/key": sesame} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"out": "../secret", "outfile": "../secret/key", "abs": p.secret + "/key", "etc": "/etc", "zero": "/dev/zero", "loop": "loop", "in": "a.txt",
		"sub/up": "../..", "twice": "sub/up/secret/key", "proc": "/proc/self/environ",
	} {
		if err := os.Symlink(to, filepath.Join(p.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(p.root+"/fifo", 0o644); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // commands run as the folder's owner
		for _, path := range []string{p.root, p.root + "/sub", p.root + "/a.txt"} {
			if err := os.Chown(path, 12345, 12345); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// untouched tells whether nothing has happened outside of the folder.
func (p place) untouched(t *testing.T, by string) {
	t.Helper()
	names, err := os.ReadDir(filepath.Dir(p.root))
	inside, err2 := os.ReadDir(p.secret)
	key, err3 := os.ReadFile(p.secret + "/key")
	if err != nil || err2 != nil || err3 != nil || len(names) != 2 || len(inside) != 1 || string(key) != sesame {
		t.Errorf("%s: outside there is now %v, %v, %q", by, names, inside, key)
	}
}

func made(t *testing.T, name string, fill func(Settings)) agent.Tool {
	t.Helper()
	s := New(name)
	fill(s)
	// the process that confines it would end a second late
	if c, command := s.(*executeCommand); command {
		c.Environment = append(c.Environment, "GORACE")
	}
	tool, err := s.Tool(name)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func run(t *testing.T, tool agent.Tool, arguments any) agent.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a hang guard
	defer cancel()
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	r, err := tool.Execute(ctx, text, nil)
	if err != nil {
		return agent.Result{Failed: true, Text: err.Error()}
	}
	return r
}

func in(roots ...string) func(Settings) {
	return func(s Settings) {
		switch s := s.(type) {
		case *readFile:
			s.Roots = roots
		case *listDirectory:
			s.Roots = roots
		case *writeFile:
			s.Roots = roots
		}
	}
}

var hostilePaths = []string{
	"..", "../", "../secret", "../secret/key", "/etc/passwd", "//etc/passwd", "/", "///", "./../secret/key", "sub/../../secret/key", "a.txt/../../secret/key",
	"out", "out/key", "outfile", "abs", "etc", "etc/passwd", "zero", "loop", "loop/x", "sub/up", "sub/up/secret/key", "twice", "proc", "fifo",
	"sub/up/../secret/key", "in/../../secret/key", `..\secret\key`, `sub\..\..\secret\key`, `\etc\passwd`, "C:/Windows", `\\host\share`, "a.txt\x00", "a.txt\x00/../../secret/key",
	"~/.ssh/id_rsa", "~root", "$HOME", "${HOME}/x", "%2e%2e/secret/key", "..%2fsecret/key", "....//secret/key", ".../secret", "\u2025/secret/key", "\uff0e\uff0e/secret/key",
	"file:///etc/passwd", "out/../secret/key", "./out/./key", "sub/../out/key", "/proc/self/root/etc/passwd", "/dev/zero", "../root/../secret/key",
	strings.Repeat("../", 60) + "etc/passwd", strings.Repeat("a/", 3000) + "x", strings.Repeat("x", 5000), "sub/up/root/../secret/key", "..;/secret/key", ".. /secret/key",
}

// S2-11, S2-12: no path leads out of the folder.
func TestFiles_hostilePathsReachNothingOutside(t *testing.T) {
	p := newPlace(t)
	read, list, write := made(t, "read_file", in(p.root)), made(t, "list_directory", in(p.root)), made(t, "write_file", in(p.root))
	for _, path := range hostilePaths {
		if r := run(t, read, map[string]any{"path": path}); !r.Failed || strings.Contains(r.Text, sesame) || strings.Contains(strings.ReplaceAll(r.Text, path, ""), p.secret) {
			t.Errorf("read %.60q: %+v", path, r)
		}
		if r := run(t, list, map[string]any{"path": path}); !r.Failed || strings.Contains(r.Text, "key\n") || strings.Contains(r.Text, "shadow") {
			t.Errorf("list %.60q: %+v", path, r)
		}
		// odd names inside are its good right
		run(t, write, map[string]any{"path": path, "content": "evil"})
		p.untouched(t, fmt.Sprintf("write %.60q", path))
	}
	if b, err := os.ReadFile(p.root + "/a.txt"); err != nil || string(b) != "hello" {
		t.Errorf("a file inside: %q, %v", b, err)
	}
}

// S2-11, S2-12: inside of it files are read, listed and written.
func TestFiles_readWriteAndListInside(t *testing.T) {
	p := newPlace(t)
	read, list, write := made(t, "read_file", in(p.root)), made(t, "list_directory", in(p.root)), made(t, "write_file", in(p.root))
	for _, path := range []string{"a.txt", "./a.txt", "sub/../a.txt", "in"} {
		if r := run(t, read, map[string]any{"path": path}); r.Failed || r.Text != "hello" {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if r := run(t, write, map[string]any{"path": "new/deep/c.txt", "content": "é"}); r.Failed {
		t.Error(r)
	}
	if r := run(t, write, map[string]any{"path": "a.txt", "content": "other"}); r.Failed {
		t.Error(r)
	}
	if r := run(t, read, map[string]any{"path": "a.txt"}); r.Text != "other" {
		t.Error(r)
	}
	if r := run(t, list, map[string]any{"path": "."}); r.Failed || !strings.Contains(r.Text, "a.txt (5 bytes)\n") || !strings.Contains(r.Text, "sub/\n") || strings.Contains(r.Text, ".tenon-") {
		t.Error(r)
	}
	if r := run(t, write, map[string]any{"path": "big", "content": strings.Repeat("x", 1<<20+1)}); !r.Failed {
		t.Error("a file over the limit was written")
	}
}

func TestFiles_ofSeveralFoldersPathsBeginWithTheName(t *testing.T) {
	p := newPlace(t)
	read, list := made(t, "read_file", in(p.root, p.root+"/sub")), made(t, "list_directory", in(p.root, p.root+"/sub"))
	if r := run(t, read, map[string]any{"path": "sub/b.txt"}); r.Text != "b" {
		t.Error(r)
	}
	if r := run(t, list, map[string]any{"path": "."}); r.Text != "root/\nsub/\n" {
		t.Error(r)
	}
	for _, path := range append(hostilePaths, "secret/key", "root/../secret/key", "root/out/key") {
		if r := run(t, read, map[string]any{"path": path}); !r.Failed || strings.Contains(r.Text, sesame) {
			t.Errorf("%.60q: %+v", path, r)
		}
	}
}

func TestReadFile_cutsAtACharacterAndGoesOn(t *testing.T) {
	p := newPlace(t)
	text := strings.Repeat("é", 500)
	if err := os.WriteFile(p.root+"/long", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	read := made(t, "read_file", func(s Settings) { in(p.root)(s); s.(*readFile).MaxBytes = 333 })
	var got strings.Builder
	for offset := 0; offset < len(text); {
		r := run(t, read, map[string]any{"path": "long", "offset": offset})
		part, _, _ := strings.Cut(r.Text, "\n[")
		if r.Failed || part == "" || r.Cut != len(text)-offset-len(part) {
			t.Fatalf("at %d: %+v", offset, r)
		}
		got.WriteString(part)
		offset += len(part)
	}
	if got.String() != text {
		t.Error("the parts are not the whole")
	}
	if err := os.WriteFile(p.root+"/binary", []byte{0, 1, 2, 0xff}, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := run(t, read, map[string]any{"path": "binary"}); !r.Failed {
		t.Error(r)
	}
}

// Two that write at once, and one that reads, never see half a file.
func TestWriteFile_isWholeWheneverItIsRead(t *testing.T) {
	p := newPlace(t)
	read, write := made(t, "read_file", in(p.root)), made(t, "write_file", in(p.root))
	texts := []string{strings.Repeat("a", 10000), strings.Repeat("b", 20000)}
	run(t, write, map[string]any{"path": "f", "content": texts[0]})
	done := make(chan struct{})
	for _, text := range texts {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 20 {
				run(t, write, map[string]any{"path": "f", "content": text})
			}
		}()
	}
	for range 50 {
		if r := run(t, read, map[string]any{"path": "f"}); r.Text != texts[0] && r.Text != texts[1] {
			t.Fatalf("%d bytes: %.20q", len(r.Text), r.Text)
		}
	}
	<-done
	<-done
}

func FuzzPath(f *testing.F) {
	for _, p := range hostilePaths {
		f.Add(p)
	}
	dir := f.TempDir()
	if err := os.Mkdir(dir+"/root", 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(dir+"/key", []byte(sesame), 0o644); err != nil {
		f.Fatal(err)
	}
	s := &readFile{folders{Common: Common{MaxBytes: 100}, Roots: []string{dir + "/root"}}}
	if _, err := s.check(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if r, err := s.read(fileCall{Path: path}); err == nil {
			t.Errorf("%q: %+v", path, r)
		}
	})
}
