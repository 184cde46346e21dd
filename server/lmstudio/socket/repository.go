package socket

import (
	"context"
	"time"

	"tenon/server/chat"
)

// Searching the hub is not served: names of models are Hugging Face's own here, and a download takes one.
func searchModels(context.Context, *conn, none) (any, error) {
	return nil, unserved("searches", "download by name, such as owner/repository:Q4_K_M, in repository.downloadModel or with lms get")
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

// downloadModel fetches a model. Where the client leaves, what there is stays and is gone on with.
func downloadModel(ch *channel, p struct {
	Name string `json:"downloadIdentifier"`
}) error {
	if err := ch.conn.mayManage(ch.ctx); err != nil {
		return err
	}
	if ch.conn.server.Pull == nil {
		return &chat.Error{Kind: chat.Unavailable, Message: "this server fetches no models; put a file into its models folder"}
	}
	begun := time.Now()
	key, err := ch.conn.server.Pull(ch.ctx, p.Name, func(done, total int64) {
		speed := float64(done) / max(time.Since(begun), time.Millisecond).Seconds()
		_ = ch.progress(fetchedPacket{"downloadProgress", fetched{done, total, speed}}) // the end meets the same error
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
