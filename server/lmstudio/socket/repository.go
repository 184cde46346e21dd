package socket

import (
	"cmp"
	"context"
	"slices"

	"tenon/models/placement"
	"tenon/models/store"
	"tenon/server/chat"
	"tenon/server/lmstudio"
)

// mostFound is how many repositories a search answers, as LM Studio's does.
const mostFound = 25

// hubIdentifier names a repository: what is found is not in LM Studio's own catalogue.
type hubIdentifier struct {
	Type       string `json:"type"` // "hf"
	Identifier string `json:"identifier"`
}

func searchModels(ctx context.Context, c *conn, p struct {
	Options struct {
		Term          string   `json:"searchTerm"`
		Limit         int      `json:"limit"`
		Compatibility []string `json:"compatibilityTypes"`
	} `json:"opts"`
}) (any, error) {
	found := []packet{}
	if kinds := p.Options.Compatibility; len(kinds) > 0 && !slices.Contains(kinds, "gguf") {
		return packet{"results": found}, nil
	}
	repos, err := c.server.Models.Search(ctx, p.Options.Term, min(cmp.Or(max(p.Options.Limit, 0), mostFound), mostFound))
	if err != nil {
		return nil, lmstudio.HubError(err)
	}
	for _, repo := range repos {
		found = append(found, packet{"name": repo, "identifier": hubIdentifier{"hf", repo}, "exact": repo == p.Options.Term})
	}
	return packet{"results": found}, nil
}

// downloadOptions lists the models of a repository. Those of one quantization that another has too
// cannot be named, and are left out.
func downloadOptions(ctx context.Context, c *conn, p struct {
	Model hubIdentifier `json:"modelSearchResultIdentifier"`
}) (any, error) {
	files, err := c.server.Models.Files(ctx, p.Model.Identifier)
	if err != nil {
		return nil, lmstudio.HubError(err)
	}
	free, _ := placement.Free() // where that cannot be read, nothing is said to fit
	out, seen := []packet{}, map[string]bool{}
	for _, f := range files {
		if seen[f.Quant] {
			continue
		}
		seen[f.Quant] = true
		source, err := lmstudio.Source(p.Model.Identifier, f.Quant)
		if err != nil {
			return nil, err
		}
		fit := "willNotFit"
		if f.Size < free.RAM {
			fit = "fitWithoutGPU"
		}
		out = append(out, packet{
			"quantization": f.Quant, "name": f.Name, "sizeBytes": f.Size, "fitEstimation": fit, "recommended": f.Taken,
			"downloadIdentifier": source, "indexedModelIdentifier": p.Model.Identifier + "/" + f.Name, "compatibilityType": "gguf",
		})
	}
	return packet{"results": out}, nil
}

// downloadModel fetches a model, which is listed from then on. A client that wants it no more, or
// is gone, ends that; what has come is kept for the next try.
func downloadModel(ch *channel, p struct {
	Download string `json:"downloadIdentifier"`
}) error {
	source, err := lmstudio.Source(p.Download, "")
	if err != nil {
		return err
	}
	var sum lmstudio.Tally
	e, err := ch.conn.server.Models.Pull(ch.ctx, source, func(p store.Progress) {
		sum.Add(p)
		update := packet{"downloadedBytes": sum.Done, "totalBytes": sum.Total, "speedBytesPerSecond": sum.PerSecond}
		ch.progress("downloadProgress", packet{"update": update})
	})
	ch.quiet()
	switch {
	case ch.stopped():
		return &chat.Error{Kind: chat.ClientGone, Message: "the download was cancelled"}
	case err != nil:
		return lmstudio.HubError(err)
	}
	ch.send("startFinalizing", packet{})
	ch.send("success", packet{"defaultIdentifier": e.ID})
	return nil
}
