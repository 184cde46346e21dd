package store

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Ref is a model as a user names it. Exactly one of Path, Repo, Registry and URL is set.
type Ref struct {
	Path  string // a file or folder on this machine
	Repo  string // owner/name on the hub
	Quant string // of a Repo, such as "Q8_0"; "" takes the best of the usual ones
	URL   string // an https address of a .gguf file

	Registry  string // host of an Ollama-style registry
	Name, Tag string // there, such as "library/llama3.2" and "1b"
}

// String writes the reference as ParseRef reads it.
func (r Ref) String() string {
	switch {
	case r.Registry == defaultRegistry:
		return "ollama:" + strings.TrimPrefix(r.Name, "library/") + ":" + r.Tag
	case r.Registry != "":
		return "ollama:" + r.Registry + "/" + r.Name + ":" + r.Tag
	case r.Repo != "" && r.Quant != "":
		return "hf:" + r.Repo + ":" + r.Quant
	case r.Repo != "":
		return "hf:" + r.Repo
	}
	return r.URL + r.Path
}

var repoPattern = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$`)

// ParseRef reads a path, hf:owner/repo[:quant], ollama:name[:tag] or an https address. Plain http
// is for loopback only.
func ParseRef(s string) (Ref, error) {
	if rest, ok := strings.CutPrefix(s, "hf:"); ok {
		repo, quant, _ := strings.Cut(rest, ":")
		if !repoPattern.MatchString(repo) || strings.Contains(repo, "..") {
			return Ref{}, fmt.Errorf("model %q: expected hf:owner/repo or hf:owner/repo:quant", s)
		}
		return Ref{Repo: repo, Quant: quant}, nil
	}
	if rest, ok := strings.CutPrefix(s, "ollama:"); ok {
		return registryRef(s, strings.TrimPrefix(rest, "//"))
	}
	if !strings.Contains(s, "://") {
		if s == "" {
			return Ref{}, fmt.Errorf("model: the name is empty")
		}
		return Ref{Path: s}, nil
	}
	u, err := url.Parse(s)
	if err != nil {
		return Ref{}, fmt.Errorf("model %q: %w", s, err)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return Ref{}, fmt.Errorf("model %q: only https addresses are fetched", s)
	}
	if !strings.HasSuffix(strings.ToLower(path.Base(u.Path)), ".gguf") {
		return Ref{}, fmt.Errorf("model %q: the address must end in .gguf", s)
	}
	return Ref{URL: s}, nil
}

// registryRef reads [host/][namespace/]model[:tag].
func registryRef(s, rest string) (Ref, error) {
	r := Ref{Registry: defaultRegistry, Tag: "latest"}
	if at := strings.LastIndex(rest, ":"); at > strings.LastIndex(rest, "/") {
		rest, r.Tag = rest[:at], rest[at+1:]
	}
	if host, name, ok := strings.Cut(rest, "/"); ok && (strings.ContainsAny(host, ".:") || host == "localhost") {
		r.Registry, rest = host, name
	}
	if r.Name = rest; !strings.Contains(rest, "/") {
		r.Name = "library/" + rest
	}
	if !repoPattern.MatchString(r.Name) || !tagPattern.MatchString(r.Tag) || strings.Contains(rest, "..") || !hostPattern.MatchString(r.Registry) {
		return Ref{}, fmt.Errorf("model %q: expected ollama:name, ollama:name:tag or ollama:host/namespace/name:tag", s)
	}
	return r, nil
}

var (
	tagPattern  = regexp.MustCompile(`^[A-Za-z0-9_][\w.-]{0,127}$`)
	hostPattern = regexp.MustCompile(`^[A-Za-z0-9.-]+(:\d+)?$`)
)

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}
