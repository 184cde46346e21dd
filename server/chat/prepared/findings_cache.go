package prepared

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tenon/templates"
)

// cachedFindings is what an earlier load found out about a template, read from a file: what its
// trial renderings showed, and to which dialect it was bound.
type cachedFindings struct {
	Found templates.Findings
	Bound string

	path string // of the file; "": none
	hit  bool
}

// mostCached bounds the files. It is enough for the models of a machine in some versions.
const mostCached = 256

// loadFindings reads what is cached of a template and its vocabulary. The name of the file has the
// build of tenon in it, since another build may find other things. A file that cannot be read is
// none.
func loadFindings(dir, source, bos, eos string, markers []string) (k cachedFindings) {
	if dir == "" {
		return k
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{build(), source, bos, eos}, markers...), "\x00")))
	path := filepath.Join(dir, "templates", fmt.Sprintf("%x", sum))
	if data, err := os.ReadFile(path); err == nil && gob.NewDecoder(bytes.NewReader(data)).Decode(&k) == nil {
		k.hit = true
	} else {
		k = cachedFindings{}
	}
	k.path = path
	return k
}

// build tells this program from others of its name.
func build() string {
	path, _ := os.Executable()
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// findings is a templates.Options.Recall.
func (k *cachedFindings) findings(find func() (templates.Findings, error)) (found templates.Findings, err error) {
	if !k.hit {
		k.Found, err = find()
	}
	return k.Found, err
}

// save writes the findings to the file, for the next load. A failure only costs that load time.
func (k *cachedFindings) save(bound string) {
	if k.hit || k.path == "" {
		return
	}
	k.Bound = bound
	var data bytes.Buffer
	err := gob.NewEncoder(&data).Encode(k)
	if err == nil {
		err = replace(k.path, data.Bytes())
	}
	if err != nil {
		slog.Warn("what was found out of a chat template is not kept", "err", err)
	}
}

// replace writes a file of which nobody sees a part. Where too many lie beside it, the oldest go.
func replace(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	part := fmt.Sprint(path, ".", os.Getpid())
	if err := os.WriteFile(part, data, 0o600); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return dropOldest(dir, mostCached)
}

// dropOldest leaves so many files in a folder, those that were written last.
func dropOldest(dir string, most int) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= most {
		return err
	}
	written := map[string]time.Time{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else another process has taken it away
			written[e.Name()] = info.ModTime()
		}
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return written[a.Name()].Compare(written[b.Name()]) })
	for _, e := range entries[:len(entries)-most] {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
