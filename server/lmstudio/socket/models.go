package socket

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/lmstudio"
)

// modelInfo describes a model at hand. Every member is demanded unless it may be left out.
type modelInfo struct {
	Type           string        `json:"type"` // "llm", "embedding"
	ModelKey       string        `json:"modelKey"`
	Format         string        `json:"format"` // "gguf"
	DisplayName    string        `json:"displayName"`
	Publisher      string        `json:"publisher"`
	Path           string        `json:"path"`
	Indexed        string        `json:"indexedModelIdentifier"`
	SizeBytes      int64         `json:"sizeBytes"`
	Device         *string       `json:"deviceIdentifier"` // null: this machine
	Architecture   string        `json:"architecture,omitempty"`
	Quantization   *quantization `json:"quantization,omitempty"`
	MaxContext     int           `json:"maxContextLength"`
	Vision         *bool         `json:"vision,omitempty"`            // llm only
	TrainedForTool *bool         `json:"trainedForToolUse,omitempty"` // llm only
}

type quantization struct {
	Name string `json:"name"`
	Bits int    `json:"bits"`
}

// instanceInfo describes a loaded one.
type instanceInfo struct {
	modelInfo
	Identifier    string `json:"identifier"`
	Reference     string `json:"instanceReference"`
	TTL           *int64 `json:"ttlMs"`        // null: none
	LastUsed      *int64 `json:"lastUsedTime"` // null: not yet; milliseconds
	ContextLength int    `json:"contextLength"`
}

func describe(m lmstudio.Model) modelInfo {
	out := modelInfo{
		Type: m.Kind(), ModelKey: m.ID, Format: "gguf", DisplayName: m.ID, Publisher: m.Publisher(), Path: m.File(), Indexed: m.File(),
		SizeBytes: m.Size, Architecture: m.Architecture, MaxContext: m.ContextTrained,
	}
	if bits, err := strconv.Atoi(digits.FindString(m.Quantization)); err == nil { // Q4_K_M has 4
		out.Quantization = &quantization{m.Quantization, bits}
	}
	if !m.Embeds {
		vision := false
		out.Vision, out.TrainedForTool = &vision, &m.Tools
	}
	return out
}

var digits = regexp.MustCompile(`\d+`)

func describeInstance(i lmstudio.Instance) instanceInfo {
	out := instanceInfo{modelInfo: describe(i.Model), Identifier: i.ID, Reference: i.Reference, ContextLength: i.Context()}
	if i.TTL > 0 {
		ms := i.TTL.Milliseconds()
		out.TTL = &ms
	}
	if !i.LastUsed.IsZero() {
		ms := i.LastUsed.UnixMilli()
		out.LastUsed = &ms
	}
	return out
}

// specifier says which loaded model is meant.
type specifier struct {
	Type      string `json:"type"` // "query", "instanceReference"
	Query     query  `json:"query"`
	Reference string `json:"instanceReference"`
}

type query struct {
	Domain     string `json:"domain,omitempty"`
	Identifier string `json:"identifier,omitempty"`
	Path       string `json:"path,omitempty"`
	Vision     *bool  `json:"vision,omitempty"`
}

// find returns the loaded model that is meant, of the socket's kind.
func (c *conn) find(s specifier) (lmstudio.Instance, error) {
	name := s.Query.Identifier + s.Query.Path // never both
	for _, i := range c.server.Models.Loaded() {
		if s.Type == "instanceReference" && i.Reference == s.Reference || s.Type != "instanceReference" && name == "" && c.serves(i) {
			return i, nil
		}
	}
	if s.Type == "instanceReference" {
		return lmstudio.Instance{}, &shownError{title: "the model was unloaded", data: map[string]string{"code": "generic.specificModelUnloaded"}}
	}
	if i, ok := c.server.Models.FindLoaded(name); name != "" && ok && c.serves(i) && (s.Query.Vision == nil || !*s.Query.Vision) {
		return i, nil
	}
	return lmstudio.Instance{}, c.noModel(s.Query, "")
}

// serves tells whether an instance is of the socket's kind.
func (c *conn) serves(i lmstudio.Instance) bool { return i.Model.Kind() == string(c.ns) }

// specified is the parameter of many calls.
type specified struct {
	Specifier specifier `json:"specifier"`
	Throw     bool      `json:"throwIfNotFound"`
	Input     string    `json:"inputString"`
}

func listLoaded(_ context.Context, c *conn, _ none) (any, error) {
	all := []instanceInfo{}
	for _, i := range c.server.Models.Loaded() {
		if c.serves(i) {
			all = append(all, describeInstance(i))
		}
	}
	return all, nil
}

// getModelInfo answers nothing for a model that is not loaded, unless an error is wanted.
func getModelInfo(_ context.Context, c *conn, p specified) (any, error) {
	i, err := c.find(p.Specifier)
	switch {
	case err == nil:
		return describeInstance(i), nil
	case p.Throw:
		return nil, err
	}
	return nil, nil
}

func getLoadConfig(_ context.Context, c *conn, p specified) (any, error) {
	i, err := c.find(p.Specifier)
	if err != nil {
		return nil, err
	}
	return loadConfig(i), nil
}

func getBasePredictionConfig(_ context.Context, c *conn, p specified) (any, error) {
	i, err := c.find(p.Specifier)
	if err != nil {
		return nil, err
	}
	return baseConfig(i), nil
}

type processingState struct {
	Status string `json:"status"`
	Queued int    `json:"queued"`
}

func getProcessingState(_ context.Context, c *conn, p specified) (any, error) {
	i, err := c.find(p.Specifier)
	if err != nil {
		if p.Throw {
			return nil, err
		}
		return nil, nil
	}
	s := processingState{Status: "idle", Queued: i.Waiting}
	switch {
	case i.Busy > 0 && i.Model.Embeds:
		s.Status = "computingEmbedding"
	case i.Busy > 0:
		s.Status = "generating"
	}
	return s, nil
}

// unloadModel returns once the memory is free.
func unloadModel(ctx context.Context, c *conn, p struct {
	Identifier string `json:"identifier"`
}) (any, error) {
	if err := c.mayManage(ctx); err != nil {
		return nil, err
	}
	i, ok := c.server.Models.FindLoaded(p.Identifier)
	if !ok {
		return nil, c.noModel(query{Identifier: p.Identifier}, "")
	}
	return nil, lmstudio.LoadError(c.server.Models.Unload(ctx, i.ID, true))
}

func (c *conn) mayManage(ctx context.Context) error {
	if c.server.Manage == nil {
		return nil
	}
	return c.server.Manage(ctx)
}

func listDownloaded(_ context.Context, c *conn, _ none) (any, error) {
	all := []modelInfo{}
	for _, m := range c.server.Models.All() {
		all = append(all, describe(m))
	}
	return all, nil
}

// listVariants answers nothing: each file is a model of its own here.
func listVariants(context.Context, *conn, none) (any, error) { return []modelInfo{}, nil }

func version(_ context.Context, c *conn, _ none) (any, error) {
	return struct {
		Version string `json:"version"`
		Build   int    `json:"build"`
	}{c.server.Version, 0}, nil
}

func processInfo(_ context.Context, c *conn, _ none) (any, error) {
	return struct {
		PID     int    `json:"pid"`
		Daemon  bool   `json:"isDaemon"`
		Version string `json:"version"`
	}{os.Getpid(), true, c.server.Version}, nil
}

// notify takes a message for the app's window. There is none.
func notify(context.Context, *conn, none) (any, error) { return nil, nil }

// alive stays open as long as the server.
func alive(ch *channel, _ none) error {
	<-ch.ctx.Done()
	return nil
}

// loadParameter is what loadModel and getOrLoad take.
type loadParameter struct {
	ModelKey   string  `json:"modelKey"`
	Identifier string  `json:"identifier"`
	TTL        int64   `json:"ttlMs"`
	LoadTTL    int64   `json:"loadTtlMs"`
	Stack      kvStack `json:"loadConfigStack"`
}

// The packets of loading.
type (
	resolvedPacket struct {
		Type string    `json:"type"` // "resolved"
		Info modelInfo `json:"info"`
	}
	startPacket struct {
		Type       string    `json:"type"` // "startLoading"
		Identifier string    `json:"identifier"`
		Info       modelInfo `json:"info"`
	}
	progressPacket struct {
		Type     string  `json:"type"` // "progress", "loadProgress"
		Progress float64 `json:"progress"`
	}
	loadedPacket struct {
		Type string       `json:"type"` // "success", "loadSuccess", "alreadyLoaded"
		Info instanceInfo `json:"info"`
	}
)

// loadModel loads an instance with settings, beside others of the model.
func loadModel(ch *channel, p loadParameter) error {
	c := ch.conn
	if err := c.mayManage(ch.ctx); err != nil {
		return err
	}
	m, err := c.model(p.ModelKey)
	if err != nil {
		return err
	}
	if _, taken := c.server.Models.FindLoaded(p.Identifier); p.Identifier != "" && taken {
		return chat.Invalidf("identifier", "a model with the identifier %q already exists", p.Identifier)
	}
	if p.Identifier == "" {
		p.Identifier = c.free(m.ID)
	}
	if err := ch.send(resolvedPacket{"resolved", describe(m)}); err != nil {
		return err
	}
	return ch.load(fleet.Request{Name: m.ID, ID: p.Identifier, TTL: milliseconds(p.TTL)}, p.Stack, "progress", "success")
}

// free is what a further instance of a model is called: as the model, or with the first number
// that no other has.
func (c *conn) free(id string) string {
	name := id
	for n := 2; ; n++ {
		if i, taken := c.server.Models.FindLoaded(name); !taken || i.ID != name {
			return name
		}
		name = fmt.Sprintf("%s:%d", id, n)
	}
}

// getOrLoad returns a loaded instance, or loads one.
func getOrLoad(ch *channel, p loadParameter) error {
	c := ch.conn
	if i, ok := c.server.Models.FindLoaded(p.Identifier); ok {
		if !c.serves(i) {
			return c.mismatch(i.Model)
		}
		return ch.send(loadedPacket{"alreadyLoaded", describeInstance(i)})
	}
	m, err := c.model(p.Identifier)
	if err != nil {
		return err
	}
	if err := ch.send(startPacket{"startLoading", m.ID, describe(m)}); err != nil {
		return err
	}
	return ch.load(fleet.Request{Name: m.ID, TTL: cmp.Or(milliseconds(p.LoadTTL), onDemandTTL)}, p.Stack, "loadProgress", "loadSuccess")
}

// onDemandTTL is how long LM Studio keeps a model that a request loaded, once it is idle.
const onDemandTTL = time.Hour

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// load loads an instance and tells of it.
func (ch *channel) load(r fleet.Request, stack kvStack, progress, success string) (err error) {
	if r.Settings, err = loadSettings(stack); err != nil {
		return err
	}
	r.Progress = func(p fleet.Progress) { _ = ch.progress(progressPacket{progress, p.Share}) } // what comes next meets the same error
	r.Progress(fleet.Progress{})
	i, err := ch.conn.server.Models.Load(ch.ctx, r)
	ch.quiet()
	if ch.stopped() {
		return &chat.Error{Kind: chat.ClientGone, Message: "the load was cancelled"}
	}
	if err != nil {
		return lmstudio.LoadError(err)
	}
	return ch.send(loadedPacket{success, describeInstance(ch.conn.server.Models.Instance(i))})
}

// model returns the model at hand that a name means, of the socket's kind.
func (c *conn) model(name string) (lmstudio.Model, error) {
	m, err := c.server.Models.Find(name)
	if err != nil {
		return m, c.noModel(query{Domain: string(c.ns), Identifier: name}, chat.AsError(err).Message)
	}
	if m.Kind() != string(c.ns) {
		return m, c.mismatch(m)
	}
	return m, nil
}

func (c *conn) mismatch(m lmstudio.Model) error {
	return &shownError{
		title: fmt.Sprintf("%s is a model of the kind %s, not %s", m.ID, m.Kind(), c.ns),
		data:  domainMismatch{"generic.domainMismatch", m.File(), m.Kind(), string(c.ns)},
	}
}
