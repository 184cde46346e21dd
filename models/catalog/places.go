package catalog

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"tenon/engine/shards"
)

// Kind is how a place is laid out.
type Kind string

// The kinds of places. All are only read.
const (
	Folder      Kind = "folder"      // files in folders of any depth
	OwnStore    Kind = "store"       // hf/owner/repo/file.gguf and others
	LMStudio    Kind = "lmstudio"    // owner/repo/file.gguf
	Ollama      Kind = "ollama"      // manifests/host/namespace/name/tag and blobs/sha256-…
	HuggingFace Kind = "huggingface" // models--owner--repo/snapshots/revision/file.gguf
	LlamaCpp    Kind = "llama.cpp"   // owner_repo_file.gguf and manifest=owner=repo=tag.json
)

// Place is a folder of models.
type Place struct {
	Kind Kind
	Dir  string
}

// KnownPlaces are the folders of other programs that are there. env looks up the environment.
func KnownPlaces(env func(string) string) []Place {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	or := func(name string, path ...string) string {
		if dir := env(name); dir != "" {
			return dir
		}
		return filepath.Join(append([]string{home}, path...)...)
	}
	studio := filepath.Join(home, ".lmstudio")
	if b, err := os.ReadFile(filepath.Join(home, ".lmstudio-home-pointer")); err == nil {
		studio = strings.TrimSpace(string(b))
	}
	all := []Place{
		{LMStudio, filepath.Join(studio, "models")},
		{LMStudio, filepath.Join(home, ".cache", "lm-studio", "models")},
		{Ollama, or("OLLAMA_MODELS", ".ollama", "models")},
		{HuggingFace, filepath.Join(or("HF_HOME", ".cache", "huggingface"), "hub")},
		{LlamaCpp, or("LLAMA_CACHE", ".cache", "llama.cpp")},
	}
	if hub := env("HF_HUB_CACHE"); hub != "" {
		all[3].Dir = hub
	}
	return slices.DeleteFunc(all, func(p Place) bool {
		_, err := os.ReadDir(p.Dir)
		return err != nil
	})
}

// Look adds what places hold, and has them looked through again later: new files are found, and
// those that are gone forgotten. What cannot be read is returned.
func (c *Catalog) Look(places ...Place) (skipped []error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[string]fileState{}
	}
	for _, p := range places {
		c.places = append(c.places, p)
		skipped = append(skipped, c.look(p)...)
	}
	c.looked = time.Now()
	return skipped
}

// fileState tells a file from what it becomes.
type fileState struct {
	size int64
	time time.Time
}

func stateOf(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return fileState{info.Size(), info.ModTime()}
}

// refresh looks through the places again. Who has the old list of entries keeps it.
func (c *Catalog) refresh() {
	c.Entries = slices.DeleteFunc(slices.Clone(c.Entries), func(e Entry) bool {
		state, watched := c.seen[e.Path]
		return watched && stateOf(e.Path) != state
	})
	before := len(c.Entries)
	for _, p := range c.places {
		// it was told when the place was first looked through, or nobody asked for the
		// file
		_ = c.look(p)
	}
	for i := before; i < len(c.Entries); i++ {
		c.tell(i)
	}
	c.looked = time.Now()
}

// look adds what a place holds and what was not seen as it is now.
func (c *Catalog) look(p Place) (skipped []error) {
	for _, e := range p.find() {
		state := stateOf(e.Path)
		if c.seen != nil && c.seen[e.Path] == state && c.at(e.Path) < 0 {
			continue // it was no model before
		}
		if err := c.addFile(e); err != nil {
			skipped = append(skipped, err)
		}
		if c.seen != nil {
			c.seen[e.Path] = state
		}
	}
	return skipped
}

// find lists the files of a place that may be models.
func (p Place) find() []Entry {
	switch p.Kind {
	case Ollama:
		return p.ollama()
	case HuggingFace:
		return p.huggingFace()
	}
	var all []Entry
	for _, path := range modelFiles(p.Dir) {
		e := Entry{Path: path, Source: string(p.Kind)}
		rel, _ := filepath.Rel(p.Dir, path) // it lies below
		parts := strings.Split(filepath.ToSlash(rel), "/")
		switch {
		case p.Kind == OwnStore:
			e.Repo = storeRepo(parts)
		case p.Kind == LMStudio && len(parts) >= 3:
			e.Repo = parts[0] + "/" + parts[1]
		case p.Kind == LlamaCpp:
			e.Repo, e.ID = llamaCppName(p.Dir, filepath.Base(path))
		}
		all = append(all, e)
	}
	if p.Kind == LMStudio {
		applyModelYAML(filepath.Join(filepath.Dir(p.Dir), "hub", "models"), all)
	}
	return all
}

// modelFiles lists the files below a folder that may be models: of a split one the first part,
// and nothing that only goes with a model.
func modelFiles(dir string) []string {
	var all []string
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		// what cannot be read is passed over
		if err == nil && !d.IsDir() && isModel(d.Name()) && !strings.HasPrefix(d.Name(), ".") {
			all = append(all, path)
		}
		if err != nil && d != nil && d.IsDir() {
			return filepath.SkipDir
		}
		return nil
	})
	return slices.DeleteFunc(all, func(path string) bool { return isDraft(path, all) })
}

// isModel tells whether a file's name is one of a model: not a projector's, and of a split file
// only the first part's.
func isModel(name string) bool {
	lower := strings.ToLower(name)
	if !strings.HasSuffix(lower, ".gguf") || strings.Contains(lower, "mmproj") {
		return false
	}
	_, part, _, split := shards.Name(name)
	return !split || part == 1
}

var draftPattern = regexp.MustCompile(`(?i)(^|[^a-z0-9])(draft|eagle3?|mtp|dflash)([^a-z0-9]|$)`)

// isDraft tells whether a file drafts for a model beside it.
func isDraft(path string, all []string) bool {
	return draftPattern.MatchString(filepath.Base(path)) && slices.ContainsFunc(all, func(other string) bool {
		return other != path && filepath.Dir(other) == filepath.Dir(path) && !draftPattern.MatchString(filepath.Base(other))
	})
}

// storeRepo is the repository of a file of tenon's own store.
func storeRepo(parts []string) string {
	if len(parts) >= 4 && parts[0] == "hf" {
		return parts[1] + "/" + parts[2]
	}
	return ""
}

// llamaCppName takes the repository, which a manifest beside it names, off a file's name.
func llamaCppName(dir, file string) (repo, id string) {
	manifests, _ := filepath.Glob(filepath.Join(dir, "manifest=*=*=*.json"))
	for _, m := range manifests {
		parts := strings.Split(filepath.Base(m), "=")
		if rest, ok := strings.CutPrefix(file, parts[1]+"_"+parts[2]+"_"); ok && len(parts) == 4 {
			return parts[1] + "/" + parts[2], stem(rest)
		}
	}
	return "", ""
}

// huggingFace lists the cache of the Hugging Face libraries: of each repository the revision that
// main stands for, else the last.
func (p Place) huggingFace() []Entry {
	var all []Entry
	repos, _ := filepath.Glob(filepath.Join(p.Dir, "models--*--*"))
	for _, dir := range repos {
		owner, name, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), "models--"), "--")
		snapshots, _ := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
		if len(snapshots) == 0 {
			continue
		}
		at := snapshots[len(snapshots)-1]
		if ref, err := os.ReadFile(filepath.Join(dir, "refs", "main")); err == nil {
			if main := filepath.Join(dir, "snapshots", filepath.Base(strings.TrimSpace(string(ref)))); slices.Contains(snapshots, main) {
				at = main
			}
		}
		for _, path := range modelFiles(at) {
			all = append(all, Entry{Path: path, Repo: owner + "/" + name, Source: string(HuggingFace)})
		}
	}
	return all
}
