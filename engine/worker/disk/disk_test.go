package disk

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tenon/engine/worker/schedule"
)

// The test binary is also what is killed while it writes.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	if len(os.Args) == 3 && os.Args[1] == "write" {
		writeForEver(os.Args[2])
	}
	os.Exit(m.Run())
}

// held is data in memory.
type held []byte

func (h held) Size() int { return len(h) }
func (held) Free()       {}

func load(r io.Reader, size int64) (schedule.Data, error) {
	data := make(held, size)
	_, err := io.ReadFull(r, data)
	return data, err
}

func put(t *testing.T, d *Folder, key, data string, used time.Time, tokens ...int32) *File {
	t.Helper()
	f, err := d.Write(schedule.Copy{Key: key, Tokens: tokens, Start: 1}, used, func(w io.Writer) error {
		_, err := io.WriteString(w, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func contents(t *testing.T, c *schedule.Copy) string {
	t.Helper()
	data, err := c.Data.(*File).Read(load)
	if err != nil {
		t.Fatal(err)
	}
	return string(data.(held))
}

func TestOpen_findsWhatWasWrittenOldestFirst(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	d, known := Open(dir, "print")
	if len(known) > 0 {
		t.Fatalf("%d copies in an empty folder", len(known))
	}
	put(t, d, "", "new", now, 1, 2, 3)
	put(t, d, "a/../key", "old", now.Add(-time.Hour), 4, -5)
	_, known = Open(dir, "print")
	if len(known) != 2 {
		t.Fatalf("%d copies", len(known))
	}
	for i, want := range []struct {
		key, data string
		tokens    []int32
	}{{"a/../key", "old", []int32{4, -5}}, {"", "new", []int32{1, 2, 3}}} {
		c := known[i]
		if c.Key != want.key || contents(t, c) != want.data || !slices.Equal(c.Tokens, want.tokens) || c.Start != 1 || c.Whole {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	known[0].Data.(*File).Touch(now.Add(time.Hour))
	if _, known = Open(dir, "print"); known[1].Key != "a/../key" {
		t.Error("what was used last is not last")
	}
	known[1].Data.Free()
	if _, known = Open(dir, "print"); len(known) != 1 {
		t.Errorf("%d copies are left", len(known))
	}
	if _, known = Open(dir, "another"); len(known) > 0 || len(files(t, dir)) > 0 {
		t.Errorf("another fingerprint finds %d copies, and leaves %q", len(known), files(t, dir))
	}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A file that ends anywhere, or has any byte changed, is not read.
func TestOpen_dropsWhatIsDamaged(t *testing.T) {
	dir := t.TempDir()
	d, _ := Open(dir, "print")
	f := put(t, d, "k", "the cells", time.Now(), 1, 2, 3)
	whole, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		changed := bytes.Clone(whole)
		changed[i] ^= 0x20
		for name, content := range map[string][]byte{"cut": whole[:i], "changed": changed, "longer": append(bytes.Clone(whole), whole[:i+1]...)} {
			if err := os.WriteFile(f.path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, known := Open(dir, "print")
			for _, c := range known { // its data is not looked at before it is read
				if _, err := c.Data.(*File).Read(load); err == nil {
					t.Fatalf("%s at byte %d: it is read", name, i)
				}
				c.Data.Free()
			}
			if left := files(t, dir); len(left) > 0 {
				t.Fatalf("%s at byte %d: %q is left", name, i, left)
			}
		}
	}
}

func TestOpen_deletesWhatWasNotFinished(t *testing.T) {
	dir := t.TempDir()
	d, _ := Open(dir, "print")
	put(t, d, "k", "cells", time.Now(), 1, 2)
	for _, stray := range []string{"of-k/new-123", "of-k/x.kv", "stray.kv", "of-%zz/y.kv"} {
		path := filepath.Join(dir, stray)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("tenonkv2"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, known := Open(dir, "print"); len(known) != 1 || len(files(t, dir)) != 1 {
		t.Errorf("%d copies, files %q", len(known), files(t, dir))
	}
}

func TestWrite_aFailureLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	d, _ := Open(dir, "print")
	_, err := d.Write(schedule.Copy{Tokens: []int32{1, 2}}, time.Now(), func(w io.Writer) error {
		_, _ = w.Write([]byte("some"))
		return io.ErrShortWrite
	})
	if err == nil || len(files(t, dir)) > 0 {
		t.Errorf("%v, files %q", err, files(t, dir))
	}
}

// blocks are what a file of the process that is killed has, each told before it is written.
const blocks = 8

func writeForEver(dir string) {
	d, _ := Open(dir, "print")
	for n := int32(0); ; n++ {
		_, _ = d.Write(schedule.Copy{Key: "k", Tokens: []int32{n, n, n}}, time.Now(), func(w io.Writer) error {
			for range blocks {
				_, _ = os.Stdout.WriteString("b")
				if _, err := w.Write(bytes.Repeat([]byte{byte(n)}, 1<<16)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// A process that is killed at any time leaves what it had finished, whole, and nothing that is of
// no use once the folder has been opened.
func TestWrite_killedAtAnyTime(t *testing.T) {
	for begun := 1; begun < 4*blocks; begun += 3 {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "write", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, begun)); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Kill()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		_, known := Open(dir, "print")
		if least := (begun - 1) / blocks; len(known) < least {
			t.Errorf("killed in block %d: %d copies are left, and %d were finished", begun, len(known), least)
		}
		for _, c := range known {
			want := strings.Repeat(string([]byte{byte(c.Tokens[0])}), blocks<<16)
			if contents(t, c) != want {
				t.Errorf("killed in block %d: copy %d has other contents", begun, c.Tokens[0])
			}
		}
		if left := files(t, dir); len(left) != len(known) {
			t.Errorf("killed in block %d: files %q", begun, left)
		}
	}
}

func TestTrim_theOldestGoFirst(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	for i, model := range []string{"one", "two"} {
		d, _ := Open(filepath.Join(dir, model), "print")
		for age := range 3 {
			put(t, d, "k", strings.Repeat("c", 1000), now.Add(-time.Duration(2*age+i)*time.Hour), int32(age), 1)
		}
	}
	Trim(dir, 3500)
	var left []int32
	for _, model := range []string{"one", "two"} {
		_, known := Open(filepath.Join(dir, model), "print")
		for _, c := range known {
			left = append(left, c.Tokens[0])
		}
	}
	if !slices.Equal(left, []int32{1, 0, 0}) {
		t.Errorf("left of both: ages %v", left)
	}
	Trim(filepath.Join(dir, "none"), 1)
}

func FuzzOpen(f *testing.F) {
	seed := filepath.Join(f.TempDir(), "seed")
	d, _ := Open(seed, "print")
	file, err := d.Write(schedule.Copy{Tokens: []int32{1, 2, 3}, Whole: true}, time.Now(), func(w io.Writer) error {
		_, err := w.Write([]byte("cells"))
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(file.path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, content []byte) {
		p, e, err := readPreamble(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return
		}
		if e.Start < 0 || e.Start >= len(e.Tokens) || p.size() != int64(len(content)) {
			t.Errorf("%+v %+v of %d bytes", p, e, len(content))
		}
	})
}
