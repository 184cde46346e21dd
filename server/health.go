package server

import (
	"net/http"

	"tenon/server/wire"
)

// Readiness tells whether every model named at start answers.
type Readiness interface {
	// Ready returns "", or what is being waited for: a model and how much of it is loaded,
	// from 0 to 1.
	Ready() (waiting string, progress float64, err error)
}

type healthBody struct {
	Status   string   `json:"status"`
	Model    string   `json:"model,omitempty"`
	Progress *float64 `json:"progress,omitempty"`
	Error    string   `json:"error,omitempty"`
}

// health answers 200 once every model named at start is loaded and while the server is not
// draining.
func health(r Readiness, draining func() bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		status, body := http.StatusOK, healthBody{Status: "ok"}
		if draining != nil && draining() {
			status, body = http.StatusServiceUnavailable, healthBody{Status: "draining"}
		} else if r != nil {
			if model, progress, err := r.Ready(); err != nil {
				status, body = http.StatusServiceUnavailable, healthBody{Status: "error", Model: model, Error: err.Error()}
			} else if model != "" {
				status, body = http.StatusServiceUnavailable, healthBody{Status: "loading", Model: model, Progress: &progress}
			}
		}
		wire.WriteJSON(w, status, body)
	}
}

func live(w http.ResponseWriter, _ *http.Request) {
	wire.WriteJSON(w, http.StatusOK, healthBody{Status: "ok"})
}
