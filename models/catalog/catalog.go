// Package catalog knows which models are at hand and what they are called.
//
// Files: catalog.go (entries), places.go (the folders where programs keep models), ollama.go and
// modelyaml.go (what Ollama and LM Studio note beside them), resolve.go (the model that a name
// means), names.go (names that were given).
package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tenon/engine"
	"tenon/engine/shards"
	"tenon/models/gguf"
)

// Entry is a model that can be loaded.
type Entry struct {
	// what clients call it: the file's name in lower case, without .gguf and the part number
	ID      string
	Aliases []string // other names for it
	Path    string   // the file; of a split one the first part
	// owner/name of the repository that it is from, as far as its place tells
	Repo string
	// where it was found or fetched from, such as lmstudio, or hf:owner/repo:quant
	Source   string
	Template string // a chat template's file that replaces the file's own; "" keeps that
	// Fallback is a chat template for a file without one, "" if none is known; FallbackFrom is
	// what is to be said of it.
	Fallback, FallbackFrom string
	// where other machines serve it; nil: it is loaded here. Then Path may be "", or gives its
	// vocabulary
	Remote *Remote
	// most tokens of one request, as set; 0: what the file says, less if memory demands it
	Context int
	// what the program that keeps it sets; a request and the settings win over it
	Sampling engine.Sampling
	// From the header, for listing a model that is not loaded.
	Architecture   string
	Quantization   string
	ContextTrained int
	Layers         int
	Parameters     string // as the file words their number, such as 270M; "": it does not
	Size           int64  // bytes, all parts

	TTL    time.Duration // how long it stays loaded when idle; 0: as the server says
	Pinned bool          // it stays loaded, whatever else asks for room
}

// ChatTemplate is the source of the chat template that the model is served with, where own is the
// file's. A file that was set is read at each call: settings that are read anew may name another.
func (e Entry) ChatTemplate(own string) (string, error) {
	if e.Template == "" {
		return cmp.Or(own, e.Fallback), nil
	}
	b, err := os.ReadFile(e.Template)
	if err != nil {
		return "", fmt.Errorf("read the chat template of %s: %w", e.ID, err)
	}
	return string(b), nil
}

// Remote is where other machines serve a model. The tags are those of the settings file's keys.
type Remote struct {
	URLs     []string `key:"remote" help:"addresses of servers that have the model loaded, in place of loading it here: llama-server, vLLM, SGLang, or any with '/v1/completions', else '/v1/chat/completions' ('http://host:port', or a base with '/v1'; behind it '#weight=2' for a weight, 'api=vllm' where the server does not tell what it is, 'api=chat' for its chat completions, 'api=messages' for Anthropic's API, 'model=name' where it serves several). With source, a GGUF file or a folder with a 'tokenizer.json', that gives the vocabulary, so that prompts go as token ids"`
	Fallback bool     `key:"remote-fallback" help:"true: where none of them answers, the source is loaded here"`
	KeyFile  string   `key:"remote-key-file" path:"yes" help:"a file that holds the key they want"`
	KeyEnv   string   `key:"remote-key-env" help:"an environment variable that holds it"`
	CA       string   `key:"remote-ca" path:"yes" help:"a file of certificates (PEM) that are trusted for them, beside the system's"`
	// a folder with its tokenizer.json, which gives its vocabulary; "": none
	Tokenizer string
}

// Catalog is the models at hand, in the order they were found. It is filled with Add, AddAs and
// Look before it is shared; from then on Entries is left alone, and its methods may be called
// from any goroutine.
type Catalog struct {
	Entries []Entry
	// sees each entry that is found once the catalogue is shared, before others do; may be nil
	Found func(*Entry)

	mu     sync.Mutex // guards Entries and Found, once shared, and what follows
	places []Place
	seen   map[string]fileState // files of places that were read
	looked time.Time
	added  []string          // files that have come since, one by one
	given  map[string]string // names that were given to models, and their ids
	file   string            // that keeps them; "": none does
}

// Add adds a file, or every model in a folder and the folders below it. A file that cannot be
// read is an error when it was named itself; in a folder it is passed over and returned in
// skipped.
func (c *Catalog) Add(path string) (skipped []error, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("find model: %w", err)
	}
	if !info.IsDir() {
		return nil, c.addFile(Entry{Path: path, Source: "file"})
	}
	if _, err := os.ReadDir(path); err != nil {
		return nil, fmt.Errorf("read the model folder: %w", err)
	}
	return c.look(Place{Folder, path}), nil
}

// AddFile adds a file that has come into a place, and returns what it is called.
func (c *Catalog) AddFile(path string) (Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refresh()
	i := c.at(path)
	if i < 0 {
		if err := c.addFile(Entry{Path: path, Source: "file"}); err != nil {
			return Entry{}, err
		}
		i = len(c.Entries) - 1
		c.added = append(c.added, path)
		c.tell(i)
	}
	return c.Entries[i], nil
}

// Forget takes a model out.
func (c *Catalog) Forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Entries = slices.DeleteFunc(slices.Clone(c.Entries), func(e Entry) bool { return e.ID == id })
}

// Replace takes the models of another catalogue, which is not used any more, in place of its own.
// Files that were added stay, and names that were given.
func (c *Catalog) Replace(next *Catalog) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Entries, c.Found, c.places, c.seen, c.looked = next.Entries, next.Found, next.places, next.seen, next.looked
	for _, path := range c.added {
		if before := len(c.Entries); c.addFile(Entry{Path: path, Source: "file"}) == nil && len(c.Entries) > before && c.Found != nil {
			c.Found(&c.Entries[before])
		}
	}
	for i := range c.Entries {
		c.name(i)
	}
}

func (c *Catalog) tell(i int) {
	if c.Found != nil {
		c.Found(&c.Entries[i])
	}
	c.name(i)
}

// at is the place of a file's entry, -1 if it has none.
func (c *Catalog) at(path string) int {
	return slices.IndexFunc(c.Entries, func(e Entry) bool { return samePath(e.Path, path) })
}

// AddAs adds the one model of a path under a name of its own, or names the one that is there
// already, and returns its place.
func (c *Catalog) AddAs(name, path string) (int, error) {
	before := len(c.Entries)
	if _, err := c.Add(path); err != nil {
		return 0, err
	}
	i := before
	if len(c.Entries) == before {
		i = slices.IndexFunc(c.Entries, func(e Entry) bool { return samePath(e.Path, path) })
	}
	if i < 0 || len(c.Entries) > before+1 {
		return 0, fmt.Errorf("%s holds %d models; name one file", path, len(c.Entries)-before)
	}
	if e, taken := c.Find(name); taken && e.Path != c.Entries[i].Path {
		return 0, fmt.Errorf("the name is that of %s already", e.Path)
	}
	if !strings.EqualFold(c.Entries[i].ID, name) {
		c.Entries[i].ID, c.Entries[i].Aliases = name, append(c.Entries[i].Aliases, c.Entries[i].ID)
	}
	return i, nil
}

// AddRemote adds a model that other machines serve; path is its file, where that is here, else "".
func (c *Catalog) AddRemote(name, path string, r Remote) (int, error) {
	if path != "" {
		i, err := c.AddAs(name, path)
		if err == nil {
			c.Entries[i].Remote = &r
		}
		return i, err
	}
	if e, taken := c.Find(name); taken {
		return 0, fmt.Errorf("the name is that of %s already", e.ID)
	}
	c.Entries = append(c.Entries, Entry{ID: name, Source: "remote", Remote: &r})
	return len(c.Entries) - 1, nil
}

// addFile reads a file's header and adds it, with what its place tells.
func (c *Catalog) addFile(e Entry) error {
	if c.at(e.Path) >= 0 {
		return nil // named, and in a folder that is served too
	}
	f, err := gguf.OpenBrief(e.Path)
	if err != nil {
		return err
	}
	if kind := f.String("general.type"); kind != "" && kind != "model" {
		return fmt.Errorf("read %s: the file holds no model: its general.type is %q", e.Path, kind)
	}
	if f.Architecture() == "" {
		return fmt.Errorf("read %s: the file does not say its architecture (general.architecture), which no engine can do without", e.Path)
	}
	if f.Architecture() == "clip" {
		return fmt.Errorf("read %s: the file holds no model, but what lets one see", e.Path)
	}
	if _, part, n, split := shards.Name(filepath.Base(e.Path)); split && (part != 1 || n < 1) {
		return fmt.Errorf("%s is part %d of a split model; name the first part", e.Path, part)
	}
	for _, p := range shards.Files(e.Path) {
		info, err := os.Stat(p)
		if err != nil {
			return fmt.Errorf("find a part of the model: %w", err)
		}
		e.Size += info.Size()
	}
	e.fromManifest()
	if f.String("tokenizer.chat_template") != "" {
		e.Fallback, e.FallbackFrom = "", ""
	}
	e.ID = c.freeID(e)
	e.Architecture, e.Quantization = f.Architecture(), quantization(f)
	if n, ok := f.Arch("context_length"); ok {
		e.ContextTrained = int(n)
	}
	if n, ok := f.Arch("block_count"); ok {
		e.Layers = int(n)
	}
	e.Parameters = f.String("general.size_label")
	c.Entries = append(c.Entries, e)
	return nil
}

func samePath(a, b string) bool {
	if a == "" || b == "" { // of what has no file
		return false
	}
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}

// freeID makes an entry's name an id: its own, else the file's. A second one of that name gets
// its folder's name in front.
func (c *Catalog) freeID(e Entry) string {
	id := e.ID
	if id == "" {
		id = stem(e.Path)
	}
	if c.find(id) >= 0 {
		id = strings.ToLower(filepath.Base(filepath.Dir(e.Path))) + "/" + id
	}
	for base, n := id, 2; ; n++ {
		if c.find(id) < 0 {
			return id
		}
		id = fmt.Sprintf("%s-%d", base, n)
	}
}

// stem is a file's name in lower case, without what its format adds.
func stem(path string) string {
	name := filepath.Base(path)
	if stem, _, _, split := shards.Name(name); split {
		name = stem
	}
	return strings.TrimSuffix(strings.ToLower(name), ".gguf")
}

// ErrTaken: a name has its meaning already.
var ErrTaken = errors.New("the name is taken")

// Alias gives a model another name; model "" means the first one.
func (c *Catalog) Alias(alias, model string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(alias); i >= 0 {
		return fmt.Errorf("alias %q: %w: it means %s", alias, ErrTaken, c.Entries[i].ID)
	}
	for i, e := range c.Entries {
		if model == "" || strings.EqualFold(e.ID, model) {
			c.Entries = slices.Clone(c.Entries) // who has the old list keeps it
			c.Entries[i].Aliases = append(slices.Clone(e.Aliases), alias)
			return nil
		}
	}
	return fmt.Errorf("alias %q: there is no model %q; there is: %s", alias, model, strings.Join(c.names(), ", "))
}

// fileTypes names general.file_type as llama.cpp numbers it (enum llama_ftype).
var fileTypes = map[int64]string{
	0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
	13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S",
	22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS",
	31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}

func quantization(f *gguf.File) string {
	n, ok := f.Int("general.file_type")
	if !ok {
		return ""
	}
	return fileTypes[n]
}
