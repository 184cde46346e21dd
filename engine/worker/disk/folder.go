package disk

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tenon/engine/worker/schedule"
)

// Names of the files: those being written, and those that are whole.
const (
	unfinished = "new-"
	suffix     = ".kv"
)

// Folder is where the copies of one model are.
type Folder struct {
	path, fingerprint string
}

// File is a copy on disk.
type File struct {
	path  string
	size  int64
	entry int // bytes up to the data
	sum   uint32
}

var _ schedule.Data = (*File)(nil)

// Size implements schedule.Data.
func (f *File) Size() int { return int(f.size) }

// Holds is how many bytes its data has.
func (f *File) Holds() int { return int(f.size) - f.entry }

// Free implements schedule.Data: it deletes the file.
func (f *File) Free() {
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		slog.Warn("delete a copy of the KV cache", "file", f.path, "error", err)
	}
}

// Touch has the file be as new as what it holds was used.
func (f *File) Touch(used time.Time) {
	// that it is deleted too soon is all that can come of it
	_ = os.Chtimes(f.path, used, used)
}

// Read hands the data to load, and fails if it was not what was written.
func (f *File) Read(load func(io.Reader, int64) (schedule.Data, error)) (schedule.Data, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(int64(f.entry), io.SeekStart); err != nil {
		return nil, err
	}
	sum := crc32.New(castagnoli)
	data, err := load(io.TeeReader(file, sum), int64(f.Holds()))
	if err != nil {
		return nil, err
	}
	if sum.Sum32() != f.sum {
		data.Free()
		return nil, errDamaged
	}
	return data, nil
}

// Open finds the copies that earlier workers have left in a folder. The one that was used longest
// ago comes first. It deletes copies that are unfinished, damaged, or of another fingerprint.
func Open(path, fingerprint string) (*Folder, []*schedule.Copy) {
	d := &Folder{path: path, fingerprint: fingerprint}
	var known []*schedule.Copy
	for _, f := range filesBelow(path) {
		c, err := d.open(f)
		if err != nil {
			slog.Warn("a copy of the KV cache is of no use and deleted", "file", f.path, "reason", err)
			_ = os.Remove(f.path)
			continue
		}
		known = append(known, c)
	}
	return d, known
}

// found is a file, and what the folder tells of it.
type found struct {
	path string
	size int64
	used time.Time
}

// filesBelow lists all files below a folder, those first that were used longest ago.
func filesBelow(dir string) []found {
	var all []found
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if info, err := entry.Info(); err == nil {
				all = append(all, found{path, info.Size(), info.ModTime()})
			}
		}
		return nil // what cannot be listed is not there
	})
	slices.SortStableFunc(all, func(a, b found) int { return a.used.Compare(b.used) })
	return all
}

func (d *Folder) open(f found) (*schedule.Copy, error) {
	owner, err := ownerOf(filepath.Base(filepath.Dir(f.path)))
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(f.path, suffix) {
		return nil, errors.New("it was not finished")
	}
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	p, e, err := readPreamble(bufio.NewReader(file), f.size)
	if err != nil {
		return nil, err
	}
	if e.Fingerprint != d.fingerprint {
		return nil, errors.New("another model, engine or setting wrote it")
	}
	return &schedule.Copy{
		Key: owner, Tokens: e.Tokens, Start: e.Start, Whole: e.Whole,
		Data: &File{path: f.path, size: f.size, entry: preambleSize + int(p.Entry), sum: p.DataSum},
	}, nil
}

// ownerFolder is the name of the folder with what is kept under a key. A key is a hash, or empty
// where nobody needs one.
func ownerFolder(key string) string { return "of-" + url.QueryEscape(key) }

func ownerOf(folder string) (string, error) {
	name, ok := strings.CutPrefix(folder, "of-")
	if !ok {
		return "", errors.New("it lies in no owner's folder")
	}
	return url.QueryUnescape(name)
}

// Write writes a copy that was used at a time. Nobody sees a part of it. The file is not forced to
// the disk: what the machine loses with its power, the checksums tell.
func (d *Folder) Write(c schedule.Copy, used time.Time, data func(io.Writer) error) (*File, error) {
	dir := filepath.Join(d.path, ownerFolder(c.Key))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("write a copy of the KV cache: %w", err)
	}
	file, err := os.CreateTemp(dir, unfinished)
	if err != nil {
		return nil, fmt.Errorf("write a copy of the KV cache: %w", err)
	}
	f, err := d.fill(file, c, data)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		f.path = file.Name() + suffix
		if err = os.Rename(file.Name(), f.path); err == nil {
			f.Touch(used)
			return f, nil
		}
	}
	_ = os.Remove(file.Name())
	return nil, fmt.Errorf("write a copy of the KV cache: %w", err)
}

func (d *Folder) fill(file *os.File, c schedule.Copy, data func(io.Writer) error) (*File, error) {
	p, err := write(file, Entry{Fingerprint: d.fingerprint, Tokens: c.Tokens, Start: c.Start, Whole: c.Whole}, data)
	return &File{size: p.size(), entry: preambleSize + int(p.Entry), sum: p.DataSum}, err
}

// Trim deletes of all that lies below a folder what was used longest ago, until the rest takes no
// more than so many bytes.
func Trim(path string, bytes int64) {
	all := filesBelow(path)
	for _, f := range all {
		bytes -= f.size
	}
	for _, f := range all {
		if bytes >= 0 {
			return
		}
		if os.Remove(f.path) == nil {
			bytes += f.size
		}
	}
}
