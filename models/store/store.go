// Package store fetches models from a hub or an address and keeps their files.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"time"

	"tenon/models/gguf"
)

// ErrSilent: the source sent nothing for Store.Silence. Callers fall back to a model that they can have.
var ErrSilent = errors.New("the source is silent")

// Store is a folder of model files, filled from a hub or an address.
//
// A fetched file keeps its place: hf/owner/repo/name.gguf or url/host/name.gguf. While it comes it has the suffix .part, and
// a later Pull goes on where that ends. A file without the suffix is whole: its length, and where the source gives one its
// SHA-256, were checked.
type Store struct {
	Dir      string
	Hub      string        // base address; "" is https://huggingface.co
	Token    string        // for private repositories; sent to the hub only
	Silence  time.Duration // how long a source may send nothing; 0 means 5 s
	Client   *http.Client  // nil: http.DefaultClient
	Progress func(name string, done, total int64)
}

// DefaultDir is the folder of models: $TENON_MODELS, else under the XDG data folder.
func DefaultDir() (string, error) {
	if dir := os.Getenv("TENON_MODELS"); dir != "" {
		return dir, nil
	}
	data := os.Getenv("XDG_DATA_HOME")
	if data == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the model store (set TENON_MODELS): %w", err)
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "tenon", "models"), nil
}

// Pull returns the path of the file that ref means (of a split file: its first part), fetching what is missing.
// A path is returned as it is, if it exists.
func (s *Store) Pull(ctx context.Context, ref Ref) (string, error) {
	if ref.Path != "" {
		if _, err := os.Stat(ref.Path); err != nil {
			return "", fmt.Errorf("find model: %w; expected a GGUF file, a folder of them, hf:owner/repo[:quant] or an https address", err)
		}
		return ref.Path, nil
	}
	if found, ok := s.here(ref); ok {
		return found, nil
	}
	files, dir, err := s.source(ctx, ref)
	if err != nil {
		return "", err
	}
	for _, f := range files {
		if err := s.fetch(ctx, f, filepath.Join(dir, filepath.FromSlash(f.Name))); err != nil {
			return "", fmt.Errorf("fetch %s: %w", f.Name, err)
		}
	}
	return filepath.Join(dir, filepath.FromSlash(files[0].Name)), nil
}

// here finds a reference's file in the store without asking anybody.
func (s *Store) here(ref Ref) (string, bool) {
	dir := s.folder(ref)
	if ref.URL != "" {
		name := filepath.Join(dir, fileName(ref.URL))
		_, err := os.Stat(name)
		return name, err == nil
	}
	var entries []hubEntry
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error { // a folder that is not there holds nothing
		if err == nil && !d.IsDir() {
			if rel, err := filepath.Rel(dir, p); err == nil {
				entries = append(entries, hubEntry{Path: filepath.ToSlash(rel)})
			}
		}
		return nil
	})
	chosen, err := choose(entries, ref)
	if err != nil || !complete(chosen) {
		return "", false
	}
	return filepath.Join(dir, filepath.FromSlash(chosen[0].Path)), true
}

// complete tells whether all parts of a split file are there.
func complete(files []hubEntry) bool {
	_, _, parts, split := gguf.SplitName(files[0].Path)
	return !split || len(files) == parts
}

func (s *Store) source(ctx context.Context, ref Ref) ([]remoteFile, string, error) {
	if ref.URL != "" {
		return []remoteFile{{URL: ref.URL, Name: fileName(ref.URL), Size: -1}}, s.folder(ref), nil
	}
	files, err := s.list(ctx, ref)
	return files, s.folder(ref), err
}

func (s *Store) folder(ref Ref) string {
	if ref.Repo != "" {
		return filepath.Join(s.Dir, "hf", filepath.FromSlash(ref.Repo))
	}
	u, _ := url.Parse(ref.URL) // ParseRef has read it before
	return filepath.Join(s.Dir, "url", filepath.Base(u.Hostname()))
}

func fileName(address string) string {
	u, _ := url.Parse(address) // ParseRef has read it before
	return path.Base(u.Path)
}

// get reads a small answer.
func (s *Store) get(ctx context.Context, address string) ([]byte, error) {
	const most = 16 << 20 // bytes; the largest repositories list some thousand files
	var body []byte
	err := s.request(ctx, address, http.Header{}, func(resp *http.Response, r io.Reader) error {
		if resp.StatusCode != http.StatusOK {
			return statusError(address, resp)
		}
		var err error
		body, err = io.ReadAll(io.LimitReader(r, most))
		return err
	})
	return body, err
}

func statusError(address string, resp *http.Response) error {
	hint := ""
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		hint = "; the repository is private, gated or does not exist: set HF_TOKEN if you have access"
	case http.StatusNotFound:
		hint = "; check the name"
	}
	return fmt.Errorf("%s answers %s%s", address, resp.Status, hint)
}
