package store

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// defaultRegistry is where Ollama's models are.
const defaultRegistry = "registry.ollama.ai"

// registryManifest is what a registry says of a model (Docker's image manifest, version 2).
type registryManifest struct {
	Layers []struct {
		MediaType string `json:"mediaType"`
		Digest    string `json:"digest"`
		Size      int64  `json:"size"`
	} `json:"layers"`
}

const (
	manifestType = "application/vnd.docker.distribution.manifest.v2+json"
	modelLayer   = "application/vnd.ollama.image.model"
)

// registry asks an Ollama-style registry for the file of a name. Its template is not fetched: it
// is not in the language of chat templates, and the file has its own.
func (s *Store) registry(ctx context.Context, ref Ref) ([]remoteFile, string, error) {
	base := "https://" + ref.Registry
	if loopback(strings.Split(ref.Registry, ":")[0]) {
		base = "http://" + ref.Registry
	}
	body, _, err := s.get(ctx, base+"/v2/"+ref.Name+"/manifests/"+ref.Tag, http.Header{"Accept": {manifestType}})
	if err != nil {
		return nil, "", err
	}
	var m registryManifest
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, "", fmt.Errorf("read the manifest of %s: %w", ref, err)
	}
	for _, l := range m.Layers {
		sum, ok := strings.CutPrefix(l.Digest, "sha256:")
		if l.MediaType == modelLayer && ok && len(sum) == 64 {
			return []remoteFile{{URL: base + "/v2/" + ref.Name + "/blobs/" + l.Digest, Name: ref.fileName(), Size: l.Size, SHA256: sum}}, l.Digest, nil
		}
	}
	return nil, "", fmt.Errorf("%s holds no model file", ref)
}
