package socket

import (
	"context"
	"strings"

	"tenon/server/chat"
	"tenon/server/lmstudio"
)

// noHub says that nothing can be fetched from here.
func noHub() error {
	return &chat.Error{Kind: chat.Unavailable, Message: "models cannot be searched or downloaded here: this server fetches none; put a file into its models folder"}
}

type searchParameter struct {
	Options struct {
		Term  string   `json:"searchTerm"`
		Limit int      `json:"limit"`
		Types []string `json:"compatibilityTypes"`
	} `json:"opts"`
}

// resultIdentifier names a model that a search found.
type resultIdentifier struct {
	Type       string `json:"type"` // "hf"
	Identifier string `json:"identifier"`
}

type searchResult struct {
	Name       string           `json:"name"`
	Identifier resultIdentifier `json:"identifier"`
	Exact      bool             `json:"exact,omitempty"`
}

const defaultResults, mostResults = 10, 25

func searchModels(ctx context.Context, c *conn, p searchParameter) (any, error) {
	if c.server.Hub == nil {
		return nil, noHub()
	}
	limit := p.Options.Limit
	if limit < 1 {
		limit = defaultResults
	}
	found, err := c.server.Hub.Search(ctx, p.Options.Term, min(limit, mostResults))
	if err != nil {
		return nil, err
	}
	all := []searchResult{}
	for _, f := range found {
		all = append(all, searchResult{f.Name, resultIdentifier{"hf", f.ID}, f.Exact})
	}
	return map[string]any{"results": all}, nil
}

type downloadOption struct {
	Quantization  string `json:"quantization,omitempty"`
	Name          string `json:"name"`
	SizeBytes     int64  `json:"sizeBytes"`
	Fit           string `json:"fitEstimation"`
	Recommended   bool   `json:"recommended,omitempty"`
	Download      string `json:"downloadIdentifier"`
	Indexed       string `json:"indexedModelIdentifier"`
	Compatibility string `json:"compatibilityType"` // "gguf"
}

func downloadOptions(ctx context.Context, c *conn, p struct {
	Model resultIdentifier `json:"modelSearchResultIdentifier"`
}) (any, error) {
	if c.server.Hub == nil {
		return nil, noHub()
	}
	files, err := c.server.Hub.Files(ctx, p.Model.Identifier)
	if err != nil {
		return nil, err
	}
	all := []downloadOption{}
	for _, f := range files {
		fit := "willNotFit"
		if f.Fits {
			fit = "fitWithoutGPU"
		}
		all = append(all, downloadOption{f.Quantization, f.Name, f.Size, fit, f.Recommended, f.ID, f.ID, "gguf"})
	}
	return map[string]any{"results": all}, nil
}

// The packets of a download.
type (
	fetchedPacket struct {
		Type   string  `json:"type"` // "downloadProgress"
		Update fetched `json:"update"`
	}
	fetched struct {
		Bytes     int64   `json:"downloadedBytes"`
		Total     int64   `json:"totalBytes"`
		PerSecond float64 `json:"speedBytesPerSecond"`
	}
	finalizingPacket struct {
		Type string `json:"type"` // "startFinalizing"
	}
	fetchedAllPacket struct {
		Type string `json:"type"` // "success"
		Key  string `json:"defaultIdentifier"`
	}
)

// downloadModel fetches a file. Where the client leaves, what there is stays and is gone on with.
func downloadModel(ch *channel, p struct {
	File string `json:"downloadIdentifier"`
}) error {
	if err := ch.conn.mayManage(ch.ctx); err != nil {
		return err
	}
	if ch.conn.server.Hub == nil {
		return noHub()
	}
	key, err := ch.conn.server.Hub.Download(ch.ctx, strings.TrimSpace(p.File), func(f lmstudio.Fetched) {
		_ = ch.progress(fetchedPacket{"downloadProgress", fetched{f.Bytes, f.Total, f.PerSecond}}) // the end meets the same error
	})
	ch.quiet()
	if err != nil {
		return err
	}
	if err := ch.send(finalizingPacket{"startFinalizing"}); err != nil {
		return err
	}
	return ch.send(fetchedAllPacket{"success", key})
}
