package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tenon/engine/shards"
)

// Store is a folder of model files, filled from a hub, a registry or an address. Its methods may
// be called from any goroutine, and several processes may share the folder.
//
// A fetched file keeps its place: hf/owner/repo/name.gguf, ollama/host/name/tag.gguf or
// url/host/name.gguf. While it comes it has the suffix .part, with a journal beside it, and a
// later Pull goes on where that ends. A file without the suffix is whole. Beside it lies its
// [Manifest].
type Store struct {
	Dir string
	// base address, or several with commas, to be tried in turn; "" is https://huggingface.co
	Hub     string
	Token   string        // for private repositories; sent to the hub only
	Silence time.Duration // how long a source may send nothing; 0 means 5 s
	Pause   time.Duration // before the first retry, doubled for each further one; 0 means 1 s
	Report  time.Duration // between two reports of a pull's progress; 0 means 100 ms

	hosts   sync.Map // whether a host is private
	mu      sync.Mutex
	flights map[string]*flight // pulls that run, by where they write; guarded by mu
}

// Manifest tells where a file came from. Its name is the file's with .json.
type Manifest struct {
	Source   string    `json:"source"`             // as it was asked for
	URL      string    `json:"url"`                // of the file
	Revision string    `json:"revision,omitempty"` // of the repository
	Size     int64     `json:"size"`
	SHA256   string    `json:"sha256"`
	Fetched  time.Time `json:"fetched"`

	// Of a model of an Ollama-style registry: its template, in Go's text/template, and its
	// parameters, a JSON object.
	Template   string `json:"template,omitempty"`
	Parameters string `json:"parameters,omitempty"`
}

// DefaultDir is the folder of models: $TENON_MODELS, else under the XDG data folder.
func DefaultDir() (string, error) {
	return UserDir("TENON_MODELS", "XDG_DATA_HOME", ".local/share", "tenon/models")
}

// UserDir is a folder of the user's: what the variable own says, else one below the XDG folder of
// a kind, which is in the home folder where its variable says nothing else.
func UserDir(own, xdg, home, below string) (string, error) {
	if dir := os.Getenv(own); dir != "" {
		return dir, nil
	}
	base := os.Getenv(xdg)
	if base == "" {
		dir, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home folder (set %s): %w", own, err)
		}
		base = filepath.Join(dir, home)
	}
	return filepath.Join(base, below), nil
}

// Pull returns the path of the file that ref means (of a split file: its first part), fetching
// what is missing. A path is returned as it is, if it exists. Pulls of the same model share the
// work: each is told of the progress, and the work ends once nobody waits for it. progress may be
// nil; it is called from one goroutine at a time.
func (s *Store) Pull(ctx context.Context, ref Ref, progress func(Progress)) (string, error) {
	if ref.Path != "" {
		if _, err := os.Stat(ref.Path); err != nil {
			return "", fmt.Errorf("find model: %w; expected a GGUF file, a folder of them, hf:owner/repo[:quant], ollama:name[:tag] or an https address", err)
		}
		return ref.Path, nil
	}
	if found, ok := s.Here(ref); ok {
		return found, nil
	}
	return s.share(ctx, ref, progress)
}

// bringAll fetches what a reference means. The first part of a split model gets its name last: it
// is by that one that models are found.
func (s *Store) bringAll(ctx context.Context, ref Ref, report func(Progress)) (string, error) {
	unlock, err := s.lock(ctx, ref)
	if err != nil {
		return "", err
	}
	defer unlock()
	if found, ok := s.Here(ref); ok { // another process was at it
		return found, nil
	}
	files, revision, err := s.source(ctx, ref)
	if err != nil {
		return "", err
	}
	m := &meter{report: report, every: cmp.Or(s.Report, reportEvery)}
	for i := range slices.Backward(files) {
		f := &files[i]
		name := filepath.Join(s.folder(ref), filepath.FromSlash(f.Name))
		if _, err := os.Stat(name); err == nil {
			continue
		}
		if err := s.fetch(ctx, f, name+".part", m); err != nil {
			return "", fmt.Errorf("fetch %s: %w", f.Name, err)
		}
		if err := s.describe(ref, *f, revision, name); err != nil {
			return "", err
		}
		if err := publish(name); err != nil {
			return "", err
		}
	}
	return filepath.Join(s.folder(ref), filepath.FromSlash(files[0].Name)), nil
}

// describe writes a file's manifest, before there is the file: who finds that reads this.
func (s *Store) describe(ref Ref, f remoteFile, revision, name string) error {
	b, err := json.MarshalIndent(Manifest{ref.String(), f.URL, revision, f.Size, f.SHA256, time.Now().UTC(), f.Template, f.Parameters}, "", "  ")
	if err == nil {
		err = os.WriteFile(name+".json", b, 0o644)
	}
	if err != nil {
		return fmt.Errorf("note where %s came from: %w", f.Name, err)
	}
	return nil
}

// Remove deletes a model of the store: all parts of its file, and what lies beside them.
func (s *Store) Remove(file string) error {
	if !s.Holds(file) {
		return fmt.Errorf("%s is not in the store %s", file, s.Dir)
	}
	// the first goes first: without it the others are no model
	for _, name := range shards.Files(file) {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the model: %w", err)
		}
		_ = os.Remove(name + ".json") // not all have one
	}
	// as far as they are empty
	for dir := filepath.Dir(file); s.Holds(dir) && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
	}
	return nil
}

// Holds tells whether a file lies in the store.
func (s *Store) Holds(file string) bool {
	rel, err := filepath.Rel(s.Dir, file)
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// Here finds a reference's file in the store without asking anybody.
func (s *Store) Here(ref Ref) (string, bool) {
	dir := s.folder(ref)
	if ref.Repo == "" {
		name := filepath.Join(dir, ref.fileName())
		_, err := os.Stat(name)
		return name, err == nil
	}
	var entries []hubEntry
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		// a folder that is not there holds nothing
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
	_, _, parts, split := shards.Name(files[0].Path)
	return !split || len(files) == parts
}

// source asks what files a reference means.
func (s *Store) source(ctx context.Context, ref Ref) (files []remoteFile, revision string, err error) {
	switch {
	case ref.URL != "":
		return []remoteFile{{URL: ref.URL, Name: ref.fileName(), Size: -1}}, "", nil
	case ref.Registry != "":
		return s.registry(ctx, ref)
	}
	err = s.first(ctx, func(hub string) error {
		files, revision, err = s.list(ctx, hub, ref)
		return err
	})
	return files, revision, err
}

func (s *Store) folder(ref Ref) string {
	switch {
	case ref.Repo != "":
		return filepath.Join(s.Dir, "hf", filepath.FromSlash(ref.Repo))
	case ref.Registry != "":
		return filepath.Join(s.Dir, "ollama", strings.ReplaceAll(ref.Registry, ":", "_"), filepath.FromSlash(ref.Name))
	}
	u, _ := url.Parse(ref.URL) // ParseRef has read it before
	return filepath.Join(s.Dir, "url", filepath.Base(u.Hostname()))
}

func (r Ref) fileName() string {
	if r.Registry != "" {
		return r.Tag + ".gguf"
	}
	u, _ := url.Parse(r.URL) // ParseRef has read it before
	return path.Base(u.Path)
}

// pause is how long to wait before another try.
func (s *Store) pause(failures int, err error) time.Duration {
	var source *SourceError
	if errors.As(err, &source) && source.wait > 0 && s.Pause == 0 {
		return source.wait
	}
	return cmp.Or(s.Pause, time.Second) << min(failures, 5)
}

// get reads a small answer.
func (s *Store) get(ctx context.Context, address string, header http.Header) (body []byte, answered http.Header, err error) {
	const most = 16 << 20 // bytes; the largest repositories list some thousand files
	for failures := 0; ; failures++ {
		err = s.request(ctx, address, header, func(resp *http.Response, r io.Reader) error {
			if resp.StatusCode != http.StatusOK {
				return statusError(address, resp)
			}
			answered = resp.Header
			body, err = io.ReadAll(io.LimitReader(r, most))
			return err
		})
		var source *SourceError
		if err == nil || failures >= mostRetries || !errors.As(err, &source) || !source.again() {
			return body, answered, err
		}
		if err := sleep(ctx, s.pause(failures, err)); err != nil {
			return nil, nil, err
		}
	}
}
