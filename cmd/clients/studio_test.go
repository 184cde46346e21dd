package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/enginetest/tinymodel"
	"tenon/models/fleet"
	"tenon/models/store"
	"tenon/server"
	"tenon/server/servertest"
)

// studioModels serves a model that does as its prompt says, an embedding model, and a hub with a
// tiny model to fetch.
func studioModels(ctx context.Context) (http.Handler, error) {
	var model bytes.Buffer
	if err := tinymodel.Write(&model, tinymodel.Options{Kind: tinymodel.FullAttention}); err != nil {
		return nil, err
	}
	hub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any
		switch file := map[string]any{"path": "tiny-Q8_0.gguf", "size": model.Len()}; {
		case r.URL.Path == "/api/models":
			answer = []map[string]any{{"id": "some/tiny-GGUF"}}
		case strings.HasPrefix(r.URL.Path, "/api/models/some/tiny-GGUF/tree/"):
			answer = []map[string]any{file, {"path": "tiny-Q4_K_M.gguf", "size": model.Len()}}
		case strings.HasSuffix(r.URL.Path, ".gguf"):
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(model.Bytes()))
			return
		default:
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(answer) // a reader that is gone has another error
	}))
	dir, err := os.MkdirTemp("", "fetched")
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() {
		hub.Close()
		_ = os.RemoveAll(dir) // a temporary folder
	})
	_, o := servertest.Fleet(map[string]engine.Engine{
		scripted:  servertest.Obedient(engine.Model{Context: scriptedContext, Slots: 4}),
		"vectors": embedder{&enginetest.Scripted{Info: engine.Model{Context: 2048, Slots: 4, Can: engine.Can{Embeddings: true}}}},
	}, func(o *fleet.Options) { o.Store = &store.Store{Dir: dir, Hub: hub.URL} })
	return server.New(o), nil
}

// studioExample writes the example of LM Studio's page in a script's language beside the script,
// for its server and model.
func (s *seat) studioExample(script string) error {
	page, err := os.ReadFile("../../server/lmstudio/REFERENCE.md")
	if err != nil {
		return err
	}
	language, name := "js", "example.mjs"
	if strings.HasSuffix(script, ".py") {
		language, name = "python", "example.py"
	}
	_, code, _ := strings.Cut(string(page), "```"+language+"\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		return fmt.Errorf("the page has no example in %s", language)
	}
	code = strings.NewReplacer("127.0.0.1:1234", strings.TrimPrefix(s.url, "http://"), "qwen3-8b", s.model).Replace(code)
	return os.WriteFile(filepath.Join(s.dir, name), []byte(code), 0o644)
}

// embedder makes vectors of the length that the suite's embedding model has.
type embedder struct{ *enginetest.Scripted }

func (embedder) Embed(_ context.Context, prompts []engine.Prompt) ([]engine.Embedding, error) {
	all := make([]engine.Embedding, len(prompts))
	for i := range all {
		vector := make([]float32, 768)
		for n := range vector {
			vector[n] = float32(math.Sin(float64(n)))
		}
		all[i] = engine.Embedding{Vector: vector, Tokens: 1}
	}
	return all, nil
}
