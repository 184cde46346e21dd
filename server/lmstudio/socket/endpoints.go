package socket

import (
	"context"
	"encoding/json"
	"maps"

	"tenon/server/chat"
)

// A call is answered once. A nil result is void.
type call func(ctx context.Context, c *conn, parameter json.RawMessage) (any, error)

// An open channel runs until its function returns: with nil it is closed, with an error it fails.
type channelRun func(ch *channel, parameter json.RawMessage) error

// calls are those that are served, by namespace. Any other is answered with an error: the SDKs
// would wait for ever.
var calls = map[namespace]map[string]call{
	llm: with(modelCalls, map[string]call{
		"applyPromptTemplate": asked(applyPromptTemplate),
	}),
	embedding: with(modelCalls, map[string]call{
		"embedString": asked(embedString),
	}),
	"system": {
		"listDownloadedModels":        asked(listDownloaded),
		"listDownloadedModelVariants": asked(listVariants),
		"version":                     asked(version),
		"info":                        asked(processInfo),
		"notify":                      asked(notify),
	},
	"files": {
		"uploadFileBase64": asked(uploadFile),
	},
	"repository": {
		"searchModels":            asked(searchModels),
		"getModelDownloadOptions": asked(downloadOptions),
	},
}

// modelCalls are those that both kinds of model have.
var modelCalls = map[string]call{
	"listLoaded":                 asked(listLoaded),
	"getModelInfo":               asked(getModelInfo),
	"getLoadConfig":              asked(getLoadConfig),
	"getBasePredictionConfig":    asked(getBasePredictionConfig),
	"getInstanceProcessingState": asked(getProcessingState),
	"unloadModel":                asked(unloadModel),
	"estimateModelUsage":         asked(estimateUsage),
	"tokenize":                   asked(tokenize),
	"countTokens":                asked(countTokens),
}

// channels are those that are served, by namespace.
var channels = map[namespace]map[string]channelRun{
	llm: {
		"loadModel":       opened(loadModel),
		"getOrLoad":       opened(getOrLoad),
		"predict":         opened(predict),
		"completeRawText": opened(completeRawText),
	},
	embedding: {
		"loadModel": opened(loadModel),
		"getOrLoad": opened(getOrLoad),
	},
	"system":      {"alive": opened(alive)},
	"diagnostics": {"streamLogs": opened(streamLogs)},
	"repository":  {"downloadModel": opened(downloadModel)},
}

func with(all, further map[string]call) map[string]call {
	out := maps.Clone(all)
	maps.Copy(out, further)
	return out
}

// asked is a call whose parameter is a P; an absent one is the zero value.
func asked[P any](run func(ctx context.Context, c *conn, p P) (any, error)) call {
	return func(ctx context.Context, c *conn, raw json.RawMessage) (any, error) {
		p, err := parameter[P](raw)
		if err != nil {
			return nil, err
		}
		return run(ctx, c, p)
	}
}

// opened is a channel whose parameter is a P.
func opened[P any](run func(ch *channel, p P) error) channelRun {
	return func(ch *channel, raw json.RawMessage) error {
		p, err := parameter[P](raw)
		if err != nil {
			return err
		}
		return run(ch, p)
	}
}

// parameter reads one. Members that are not known have no effect: the SDKs grow new ones.
func parameter[P any](raw json.RawMessage) (p P, err error) {
	if len(raw) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, chat.Invalidf("", "the parameter cannot be read: %v", err)
	}
	return p, nil
}

// none is the parameter of what takes none.
type none struct{}
