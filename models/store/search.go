package store

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
)

// HubFile is a model of a repository.
type HubFile struct {
	Name  string // of the file, or of its first part
	Quant string // by which [Ref] names it; "" where its name holds none
	Size  int64  // bytes, of all parts
	Taken bool   // it is the one that is fetched where none is named
}

// Search asks the first hub that answers for repositories that hold GGUF files, the most fetched
// first.
func (s *Store) Search(ctx context.Context, words string, most int) (repos []string, err error) {
	query := url.Values{"filter": {"gguf"}, "search": {words}, "sort": {"downloads"}, "direction": {"-1"}, "limit": {strconv.Itoa(most)}}
	var found []struct{ ID string }
	err = s.first(ctx, func(hub string) error {
		body, _, err := s.get(ctx, hub+"/api/models?"+query.Encode(), http.Header{})
		if err != nil {
			return err
		}
		return json.Unmarshal(body, &found)
	})
	if err != nil {
		return nil, fmt.Errorf("search for %q: %w", words, err)
	}
	for _, f := range found {
		if repoPattern.MatchString(f.ID) && len(repos) < most {
			repos = append(repos, f.ID)
		}
	}
	return repos, nil
}

var quantPattern = regexp.MustCompile(`(?i)(?:^|[^A-Za-z0-9])((?:I?Q[0-9]\w*)|BF16|F16|F32|MXFP4)(?:[^A-Za-z0-9_]|$)`)

// Files lists the models of a repository.
func (s *Store) Files(ctx context.Context, repo string) (all []HubFile, err error) {
	if !repoPattern.MatchString(repo) {
		return nil, fmt.Errorf("repository %q: expected owner/name", repo)
	}
	err = s.first(ctx, func(hub string) error {
		entries, err := s.entries(ctx, hub, repo, "main")
		all = hubFiles(entries)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", repo, err)
	}
	return all, nil
}

func hubFiles(entries []hubEntry) (all []HubFile) {
	models := modelsOf(entries)
	taken, _ := choose(entries, Ref{}) // none of no models
	seen := map[string]bool{}
	for _, first := range models {
		if seen[first.Path] {
			continue
		}
		f := HubFile{Name: first.Path, Taken: len(taken) > 0 && taken[0].Path == first.Path}
		for _, part := range parts(models, first) {
			seen[part.Path] = true
			f.Size += part.Size
		}
		if m := quantPattern.FindStringSubmatch(path.Base(first.Path)); m != nil {
			f.Quant = m[1]
		}
		all = append(all, f)
	}
	return all
}
