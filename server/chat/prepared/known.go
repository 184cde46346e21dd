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

// known is what an earlier time found out of a template: what its trial renderings showed, and
// which candidate it was bound to.
type known struct {
	Found templates.Findings
	Bound string

	path string // "": it is not kept
	hit  bool
}

// mostKnown bounds the templates of which is kept what was found out: those of the models that a
// machine has, in some versions.
const mostKnown = 256

// recall reads what is known of a template and its vocabulary. Another build of tenon may find out
// other things: it is part of the name. What cannot be read is found out anew.
func recall(dir, source, bos, eos string, markers []string) (k known) {
	if dir == "" {
		return k
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{build(), source, bos, eos}, markers...), "\x00")))
	path := filepath.Join(dir, "templates", fmt.Sprintf("%x", sum))
	if data, err := os.ReadFile(path); err == nil && gob.NewDecoder(bytes.NewReader(data)).Decode(&k) == nil {
		k.hit = true
	} else {
		k = known{}
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
func (k *known) findings(find func() (templates.Findings, error)) (found templates.Findings, err error) {
	if !k.hit {
		k.Found, err = find()
	}
	return k.Found, err
}

// keep writes down what was found out, for the next time. A failure costs only time then.
func (k *known) keep(bound string) {
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
	return dropOldest(dir, mostKnown)
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
