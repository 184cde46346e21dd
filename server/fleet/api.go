package fleet

import (
	"context"
	"net/http"

	"tenon/models/fleet"
	"tenon/models/store"
	"tenon/server/chat"
	"tenon/server/wire"
)

// API is the endpoints. All fields must be set.
type API struct {
	Fleet *fleet.Fleet
	// reads the settings anew and tells what waits for a load
	Reload func(context.Context) (notes []string, err error)
	// what is in force for a model, and why
	Explain func(model string) (any, error)
	Log     *Log
}

// Models answers GET models.
func (a API) Models(w http.ResponseWriter, _ *http.Request) {
	all := []Model{}
	for _, s := range a.Fleet.Status() {
		all = append(all, Describe(s))
	}
	wire.WriteJSON(w, http.StatusOK, map[string]any{"models": all})
}

// Processes answers GET ps.
func (a API) Processes(w http.ResponseWriter, _ *http.Request) {
	all := []Instance{}
	for _, i := range a.Fleet.Instances() {
		all = append(all, tell(i))
	}
	wire.WriteJSON(w, http.StatusOK, map[string]any{"instances": all})
}

// Load answers POST load.
func (a API) Load(w http.ResponseWriter, r *http.Request) {
	var body loadBody
	if !read(w, r, &body) {
		return
	}
	answer(w, r, body.Stream, func(ctx context.Context, event func(any)) (any, error) {
		i, err := a.Fleet.Load(ctx, body.request(func(p fleet.Progress) { event(loadProgress{p.State, p.Share}) }))
		return tell(i), err
	})
}

// Unload answers POST unload.
func (a API) Unload(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model string `json:"model"`
		Force bool   `json:"force"`
	}
	if read(w, r, &body) && named(w, "model", body.Model) {
		done(w, a.Fleet.Unload(r.Context(), body.Model, body.Force))
	}
}

// Pin answers POST pin.
func (a API) Pin(w http.ResponseWriter, r *http.Request) {
	body := struct {
		Model  string `json:"model"`
		Pinned *bool  `json:"pinned"` // true if it is left out
	}{}
	if read(w, r, &body) && named(w, "model", body.Model) {
		done(w, a.Fleet.Pin(body.Model, body.Pinned == nil || *body.Pinned))
	}
}

// Pull answers POST pull.
func (a API) Pull(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Source string `json:"source"`
		Stream bool   `json:"stream"`
	}
	if !read(w, r, &body) || !named(w, "source", body.Source) {
		return
	}
	if ref, err := store.ParseRef(body.Source); err == nil && ref.Path != "" {
		WriteError(w, chat.Invalidf("source", "is %q; expected hf:owner/repo[:quant], ollama:name[:tag] or an https address: files of the server are not served on request", body.Source))
		return
	}
	answer(w, r, body.Stream, func(ctx context.Context, event func(any)) (any, error) {
		e, err := a.Fleet.Pull(ctx, body.Source, func(p store.Progress) { event(Progress(p)) })
		return map[string]string{"model": e.ID, "path": e.Path}, err
	})
}

// Remove answers POST remove.
func (a API) Remove(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model string `json:"model"`
	}
	if read(w, r, &body) && named(w, "model", body.Model) {
		done(w, a.Fleet.Remove(r.Context(), body.Model))
	}
}

// Alias answers POST alias.
func (a API) Alias(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Alias string `json:"alias"`
		Model string `json:"model"`
	}
	if read(w, r, &body) && named(w, "alias", body.Alias) {
		done(w, a.Fleet.Alias(body.Alias, body.Model))
	}
}

// Explaining answers GET explain.
func (a API) Explaining(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("model")
	if !named(w, "model", name) {
		return
	}
	values, err := a.Explain(name)
	if err != nil {
		WriteError(w, err)
		return
	}
	wire.WriteJSON(w, http.StatusOK, map[string]any{"settings": values})
}

// Reloading answers POST reload.
func (a API) Reloading(w http.ResponseWriter, r *http.Request) {
	notes, err := a.Reload(r.Context())
	if err != nil {
		WriteError(w, chat.Invalidf("", "%s", err.Error()))
		return
	}
	wire.WriteJSON(w, http.StatusOK, map[string]any{"notes": append([]string{}, notes...)})
}
