package store

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Default is the model that `make run` serves when none is named.
const Default = "hf:Qwen/Qwen3-0.6B-GGUF:Q8_0"

// Ref is a model as a user names it. Exactly one of Path, Repo and URL is set.
type Ref struct {
	Path  string // a file or folder on this machine
	Repo  string // owner/name on the hub
	Quant string // of a Repo, such as "Q8_0"; "" takes the best of the usual ones
	URL   string // an https address of a .gguf file
}

var repoPattern = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$`)

// ParseRef reads a path, hf:owner/repo[:quant] or an https address. Plain http is for loopback only.
func ParseRef(s string) (Ref, error) {
	if rest, ok := strings.CutPrefix(s, "hf:"); ok {
		repo, quant, _ := strings.Cut(rest, ":")
		if !repoPattern.MatchString(repo) || strings.Contains(repo, "..") {
			return Ref{}, fmt.Errorf("model %q: expected hf:owner/repo or hf:owner/repo:quant", s)
		}
		return Ref{Repo: repo, Quant: quant}, nil
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

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}
