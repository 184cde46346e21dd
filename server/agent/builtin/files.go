package builtin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"tenon/server/agent"
)

// folders are those that a tool for files may use.
type folders struct {
	Common
	// of Roots, from when the settings were read: a name can come to mean another folder
	opened []*os.Root

	Roots []string `key:"roots" path:"yes" help:"folders that the tool may use, with all below them. Paths are relative to the one; of several, they begin with the last part of a folder's name"`
}

// check looks at the settings and tells the model which paths there are.
func (f *folders) check() (description string, err error) {
	if len(f.Roots) == 0 {
		return "", errors.New("roots: names no folder")
	}
	var all []string
	for _, r := range f.Roots {
		if slices.Contains(all, filepath.Base(r)) {
			return "", fmt.Errorf("roots: two folders are called %s", filepath.Base(r))
		}
		all = append(all, filepath.Base(r))
		root, err := os.OpenRoot(r)
		if err != nil {
			return "", fmt.Errorf("roots: %w", err)
		}
		f.opened = append(f.opened, root)
	}
	if len(all) == 1 {
		return "Paths are relative, such as docs/a.txt.", nil
	}
	return "Paths begin with one of: " + strings.Join(all, ", ") + ".", nil
}

// open opens the folder that a model's path is in, and returns what is left of the path. The
// folder's methods refuse what leads out of it, links included.
func (f *folders) open(given string) (*os.Root, string, error) {
	name := path.Clean(strings.ReplaceAll(given, `\`, "/"))
	root := f.opened[0]
	if len(f.Roots) > 1 {
		first, rest, _ := strings.Cut(name, "/")
		i := slices.IndexFunc(f.Roots, func(r string) bool { return filepath.Base(r) == first })
		if i < 0 {
			return nil, "", fmt.Errorf("no folder is called %q", first)
		}
		root, name = f.opened[i], path.Join(".", rest)
	}
	if !filepath.IsLocal(name) {
		return nil, "", errors.New("the path leads out of the folder; give one relative to it")
	}
	r, err := root.OpenRoot(".")
	return r, filepath.FromSlash(name), reason(err)
}

// reason is an error without the server's own paths.
func reason(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file or folder")
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// fileCall is a call of a tool for files.
type fileCall struct {
	Path, Content string
	Offset        int64
}

// tool makes a tool of what it does with a file.
func (f *folders) tool(name, description, schema string, do func(fileCall) (agent.Result, error)) (agent.Tool, error) {
	paths, err := f.check()
	return tool(f.Common, name, description+" "+paths, schema, func(_ context.Context, c fileCall) (agent.Result, error) {
		r, err := do(c)
		if err != nil {
			return failed("%q: %v", c.Path, err)
		}
		return r, nil
	}), err
}

type readFile struct{ folders }

func (s *readFile) Tool(name string) (agent.Tool, error) {
	return s.tool(name, "Read a text file.", `{"type":"object","properties":{"path":{"type":"string"},`+
		`"offset":{"type":"integer","minimum":0,"default":0,"description":"byte to begin at"}},"required":["path"],"additionalProperties":false}`, s.read)
}

func (s *readFile) read(c fileCall) (agent.Result, error) {
	root, name, err := s.open(c.Path)
	if err != nil {
		return agent.Result{}, err
	}
	defer func() { _ = root.Close() }()
	// a FIFO would wait for a writer
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return agent.Result{}, reason(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err != nil {
		return agent.Result{}, reason(err)
	}
	b, err := io.ReadAll(io.LimitReader(io.NewSectionReader(f, c.Offset, 1<<62-c.Offset), int64(s.MaxBytes)))
	if err != nil {
		return agent.Result{}, reason(err)
	}
	left := max(0, info.Size()-c.Offset-int64(len(b)))
	// a character that was cut
	for left > 0 && len(b) > 0 && !utf8.Valid(b[max(0, len(b)-utf8.UTFMax):]) {
		b, left = b[:len(b)-1], left+1
	}
	if !utf8.Valid(b) || slices.Contains(b, 0) {
		return agent.Result{}, fmt.Errorf("it is no text; it has %d bytes", info.Size())
	}
	r := agent.Result{Text: string(b), Cut: int(left)}
	if left > 0 {
		r.Text += fmt.Sprintf("\n[%d bytes follow; go on with offset %d]", left, info.Size()-left)
	}
	return r, nil
}

type listDirectory struct{ folders }

func (s *listDirectory) Tool(name string) (agent.Tool, error) {
	return s.tool(name, "List what a folder holds.", `{"type":"object","properties":{"path":{"type":"string","default":"."}},"additionalProperties":false}`,
		func(c fileCall) (agent.Result, error) {
			text, err := s.list(c.Path)
			return section(text, 0, s.MaxBytes), err
		})
}

// mostEntries is how many entries of a folder are looked at.
const mostEntries = 2000

func (s *listDirectory) list(given string) (string, error) {
	if path.Clean(given) == "." && len(s.Roots) > 1 {
		var all strings.Builder
		for _, r := range s.Roots {
			all.WriteString(filepath.Base(r) + "/\n")
		}
		return all.String(), nil
	}
	root, name, err := s.open(given)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Stat(name)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return "", reason(err)
	}
	dir, err := root.Open(name)
	if err != nil {
		return "", reason(err)
	}
	defer func() { _ = dir.Close() }()
	found, err := dir.Readdirnames(mostEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", reason(err)
	}
	slices.Sort(found)
	var all strings.Builder
	for _, e := range found {
		info, err := root.Lstat(filepath.Join(name, e))
		switch {
		case err != nil: // it has gone
		case info.IsDir():
			fmt.Fprintf(&all, "%s/\n", printable([]byte(e)))
		case info.Mode().IsRegular():
			fmt.Fprintf(&all, "%s (%d bytes)\n", printable([]byte(e)), info.Size())
		default:
			fmt.Fprintf(&all, "%s (%s)\n", printable([]byte(e)), info.Mode().Type())
		}
	}
	if len(found) == mostEntries {
		all.WriteString("[there may be more]\n")
	}
	return all.String(), nil
}

type writeFile struct{ folders }

func (s *writeFile) Tool(name string) (agent.Tool, error) {
	return s.tool(name, "Write a text file; what it held before is replaced.",
		`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}`,
		func(c fileCall) (agent.Result, error) {
			return agent.Result{Text: fmt.Sprintf("%d bytes written to %s", len(c.Content), c.Path)}, s.write(c.Path, c.Content)
		})
}

// write replaces a file as a whole: who reads meanwhile, and who comes after a crash, finds the
// old or the new one.
func (s *writeFile) write(given, content string) error {
	if len(content) > s.MaxBytes {
		return fmt.Errorf("%d bytes are too many; a file may have %d", len(content), s.MaxBytes)
	}
	root, name, err := s.open(given)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	mode := fs.FileMode(0o644)
	if info, err := root.Lstat(name); err == nil {
		if !info.Mode().IsRegular() {
			return errors.New("what stands there is not a file")
		}
		mode = info.Mode().Perm()
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return reason(err)
	}
	fresh := filepath.Join(filepath.Dir(name), ".tenon-"+rand.Text())
	f, err := root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return reason(err)
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(fresh, name)
	}
	if err != nil {
		_ = root.Remove(fresh) // it may have been renamed
	}
	return reason(err)
}
