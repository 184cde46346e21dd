package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	manifestType   = "application/vnd.docker.distribution.manifest.v2+json"
	modelLayer     = "application/vnd.ollama.image.model"
	templateLayer  = "application/vnd.ollama.image.template"
	parameterLayer = "application/vnd.ollama.image.params"
)

// registry asks an Ollama-style registry for the file of a name, and for the template and the
// parameters that go with it.
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
	file, revision := remoteFile{Name: ref.fileName()}, ""
	for _, l := range m.Layers {
		blob := base + "/v2/" + ref.Name + "/blobs/" + l.Digest
		sum, ok := strings.CutPrefix(l.Digest, "sha256:")
		switch {
		case !ok || len(sum) != 64:
			continue
		case l.MediaType == modelLayer:
			file.URL, file.Size, file.SHA256, revision = blob, l.Size, sum, l.Digest
		case l.MediaType == templateLayer:
			file.Template, err = s.text(ctx, blob, sum)
		case l.MediaType == parameterLayer:
			file.Parameters, err = s.text(ctx, blob, sum)
		}
		if err != nil {
			return nil, "", err
		}
	}
	if file.URL == "" {
		return nil, "", fmt.Errorf("%s holds no model file", ref)
	}
	return []remoteFile{file}, revision, nil
}

// text reads a small file whose hash is known.
func (s *Store) text(ctx context.Context, address, sum string) (string, error) {
	body, _, err := s.get(ctx, address, http.Header{})
	if got := sha256.Sum256(body); err == nil && hex.EncodeToString(got[:]) != sum {
		err = &SourceError{URL: address, Message: "is not what its registry says: its SHA-256 is another"}
	}
	return string(body), err
}
