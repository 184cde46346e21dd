package lmstudio

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"tenon/models/store"
	"tenon/server/chat"
)

// Source is the reference by which a model is pulled that a client names: owner/repo, its page on
// the hub, or a reference of tenon's; a quantization stands behind @, or beside it.
func Source(name, quant string) (string, error) {
	source := strings.TrimSuffix(name, "/")
	for _, hub := range []string{"https://huggingface.co/", "https://hf.co/"} {
		if repo, ok := strings.CutPrefix(source, hub); ok && !strings.HasSuffix(repo, ".gguf") {
			source = "hf:" + repo
		}
	}
	if !strings.Contains(source, ":") {
		source = "hf:" + strings.Replace(source, "@", ":", 1)
	}
	if quant != "" && strings.HasPrefix(source, "hf:") && strings.Count(source, ":") == 1 {
		source += ":" + quant
	}
	if ref, err := store.ParseRef(source); err != nil || ref.Path != "" {
		return "", chat.Invalidf("model", "is %q; expected owner/repo[@quant], its page on Hugging Face, ollama:name[:tag] or the https address of a GGUF file", name)
	}
	return source, nil
}

// HubError gives an error of the hub its kind.
func HubError(err error) error {
	var answered *store.SourceError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errors.ErrUnsupported):
		return &chat.Error{Kind: chat.NotSupportedHere, Message: "this server fetches no models", Err: err}
	case errors.As(err, &answered) && (answered.Status == http.StatusNotFound || answered.Status == http.StatusUnauthorized):
		return &chat.Error{Kind: chat.NotFound, Field: "model", Message: err.Error(), Err: err}
	}
	return &chat.Error{Kind: chat.Unavailable, Message: err.Error(), Err: err}
}

// Tally adds up the files of a pull.
type Tally struct {
	file      string
	before    int64 // bytes of the files that are here
	Done      int64
	Total     int64
	PerSecond float64
	Left      time.Duration
}

// Add takes a report.
func (t *Tally) Add(p store.Progress) {
	if p.File != t.file {
		t.file, t.before = p.File, t.Total
	}
	t.Done, t.Total, t.PerSecond, t.Left = t.before+p.Done, t.before+max(p.Total, p.Done), p.PerSecond, p.Left
}

// Download is a model that is being fetched, or was.
type Download struct {
	Tally
	ID        string // "" where the model was here
	Started   time.Time
	Completed time.Time // zero while it runs
	Err       error
}

// Downloads are those that were asked for and not waited for.
type Downloads struct {
	mu  sync.Mutex  // guards all, and what is in it
	all []*Download // the oldest first
}

const (
	mostDownloads = 8  // that run
	keptDownloads = 64 // of which is told
)

// Start begins to fetch a model and returns once it is known how large it is, that it is here, or
// why there is none. The download goes on when ctx ends.
func (d *Downloads) Start(ctx context.Context, m Models, source string) (Download, error) {
	id := make([]byte, 5)
	_, _ = rand.Read(id) // it never fails
	one := &Download{ID: "job_" + hex.EncodeToString(id), Started: time.Now()}
	if err := d.register(one); err != nil {
		return Download{}, err
	}
	known, tell := context.WithCancel(ctx)
	go func() {
		_, err := m.Pull(context.WithoutCancel(ctx), source, func(p store.Progress) {
			d.mu.Lock()
			one.Add(p)
			d.mu.Unlock()
			tell()
		})
		d.mu.Lock()
		one.Completed, one.Err = time.Now(), HubError(err)
		d.mu.Unlock()
		tell()
	}()
	<-known.Done()
	d.mu.Lock()
	defer d.mu.Unlock()
	if one.Total > 0 || one.Completed.IsZero() {
		return *one, nil
	}
	d.all = slices.DeleteFunc(d.all, func(other *Download) bool { return other == one })
	return Download{Completed: one.Completed}, one.Err
}

// Get returns a download.
func (d *Downloads) Get(id string) (Download, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.all {
		if one.ID == id {
			return *one, true
		}
	}
	return Download{}, false
}

// register keeps a download among the others. One that runs is not forgotten.
func (d *Downloads) register(one *Download) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	running, oldest := 0, -1 // of those that have ended
	for i, other := range d.all {
		if other.Completed.IsZero() {
			running++
		} else if oldest < 0 {
			oldest = i
		}
	}
	if running >= mostDownloads {
		return &chat.Error{Kind: chat.Busy, Message: fmt.Sprintf("%d downloads are running; no more may", running)}
	}
	if len(d.all) == keptDownloads {
		d.all = slices.Delete(d.all, oldest, oldest+1)
	}
	d.all = append(d.all, one)
	return nil
}
