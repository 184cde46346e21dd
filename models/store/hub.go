package store

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"tenon/engine/shards"
)

// quants is the order in which a repository's files are tried when no quantization is named:
// small enough for a laptop, good enough to call tools.
var quants = []string{"Q4_K_M", "Q8_0", "Q5_K_M", "Q4_K_S", "Q6_K", "Q4_0", "MXFP4", "BF16", "F16"}

// remoteFile is a file to fetch.
type remoteFile struct {
	URL    string
	Name   string // base name
	Size   int64  // bytes; -1: unknown
	SHA256 string // hex; "" if the source does not say

	Template, Parameters string // that an Ollama-style registry has beside it
}

// hubEntry is one file of a repository, as the hub's tree API lists it.
type hubEntry struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	LFS  *struct {
		OID  string `json:"oid"`
		Size int64  `json:"size"`
	} `json:"lfs"`
}

// list asks a hub for the files that a reference means: one, or all parts of a split one. They
// are those of one revision, whatever happens to the repository meanwhile.
func (s *Store) list(ctx context.Context, hub string, r Ref) (files []remoteFile, revision string, err error) {
	revision = s.revision(ctx, hub, r.Repo)
	entries, err := s.entries(ctx, hub, r.Repo, revision)
	if err != nil {
		return nil, "", err
	}
	chosen, err := choose(entries, r)
	if err != nil {
		return nil, "", err
	}
	files = make([]remoteFile, len(chosen))
	for i, e := range chosen {
		files[i] = remoteFile{URL: hub + "/" + r.Repo + "/resolve/" + revision + "/" + escape(e.Path), Name: e.Path, Size: e.Size}
		if e.LFS != nil {
			files[i].Size, files[i].SHA256 = e.LFS.Size, strings.TrimPrefix(e.LFS.OID, "sha256:")
		}
	}
	if !complete(chosen) {
		return nil, "", fmt.Errorf("%s lacks parts of %s", r.Repo, chosen[0].Path)
	}
	return files, revision, nil
}

// entries lists a repository's files.
func (s *Store) entries(ctx context.Context, hub, repo, revision string) (entries []hubEntry, err error) {
	for next := hub + "/api/models/" + repo + "/tree/" + revision + "?recursive=true"; next != ""; {
		body, header, err := s.get(ctx, next, http.Header{})
		if err != nil {
			return nil, err
		}
		var page []hubEntry
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, fmt.Errorf("read the list of files of %s: %w", repo, err)
		}
		entries = append(entries, page...)
		if next = nextPage(header.Get("Link")); !strings.HasPrefix(next, hub+"/") {
			break
		}
	}
	return entries, nil
}

// revision is what a repository's main branch stands at; a hub that does not say is asked for the
// branch.
func (s *Store) revision(ctx context.Context, hub, repo string) string {
	body, _, err := s.get(ctx, hub+"/api/models/"+repo+"/revision/main", http.Header{})
	var at struct {
		SHA string `json:"sha"`
	}
	if err != nil || json.Unmarshal(body, &at) != nil || !shaPattern.MatchString(at.SHA) {
		return "main"
	}
	return at.SHA
}

var (
	shaPattern  = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
	linkPattern = regexp.MustCompile(`<([^>]+)>;\s*rel="next"`)
)

// nextPage reads where a list goes on (RFC 8288).
func nextPage(link string) string {
	m := linkPattern.FindStringSubmatch(link)
	if m == nil {
		return ""
	}
	return m[1]
}

func escape(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// modelsOf are the models among a repository's files. Vision projectors (mmproj) are none.
func modelsOf(entries []hubEntry) (models []hubEntry) {
	for _, e := range entries {
		name := strings.ToLower(e.Path)
		if strings.HasSuffix(name, ".gguf") && !strings.Contains(name, "mmproj") && filepath.IsLocal(filepath.FromSlash(e.Path)) {
			models = append(models, e)
		}
	}
	sort.Slice(models, func(i, j int) bool { return models[i].Path < models[j].Path })
	return models
}

// choose picks the model's files among a repository's.
func choose(entries []hubEntry, r Ref) ([]hubEntry, error) {
	models := modelsOf(entries)
	wanted := quants
	if r.Quant != "" {
		wanted = []string{r.Quant}
	}
	for _, q := range wanted {
		i := slices.IndexFunc(models, func(e hubEntry) bool { return hasQuant(e.Path, q) })
		if i >= 0 {
			return parts(models, models[i]), nil
		}
	}
	if r.Quant == "" && len(models) > 0 {
		return parts(models, models[0]), nil
	}
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.Path
	}
	return nil, fmt.Errorf("%s has no GGUF file of quantization %q; there is: %s", r.Repo, r.Quant, strings.Join(names, ", "))
}

// hasQuant tells whether a file's name holds the quantization as a word of its own: Q4_K is not
// in Q4_K_M.
func hasQuant(name, quant string) bool {
	word := regexp.MustCompile(`(?i)(^|[^A-Za-z0-9_])` + regexp.QuoteMeta(quant) + `($|[^A-Za-z0-9_])`)
	return word.MatchString(name)
}

// parts returns the file, or all parts of the split file that it belongs to.
func parts(all []hubEntry, first hubEntry) []hubEntry {
	stem, _, parts, split := shards.Name(first.Path)
	if !split {
		return []hubEntry{first}
	}
	var out []hubEntry
	for _, e := range all {
		if s, _, n, ok := shards.Name(e.Path); ok && s == stem && n == parts {
			out = append(out, e)
		}
	}
	return out
}

// hubs are the base addresses to try.
func (s *Store) hubs() []string {
	var all []string
	for _, hub := range strings.Split(s.Hub, ",") {
		if hub = strings.TrimRight(strings.TrimSpace(hub), "/"); hub != "" {
			all = append(all, hub)
		}
	}
	if len(all) == 0 {
		return []string{"https://huggingface.co"}
	}
	return all
}

// first asks one hub after the other, until one has an answer.
func (s *Store) first(ctx context.Context, ask func(hub string) error) (err error) {
	for _, hub := range s.hubs() {
		if err = ask(hub); err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

func (s *Store) authorize(r *http.Request) {
	for _, hub := range s.hubs() {
		if s.Token != "" && strings.HasPrefix(r.URL.String(), hub+"/") {
			r.Header.Set("Authorization", "Bearer "+s.Token)
		}
	}
}
