package socket

import (
	"context"
	"encoding/json"
	"os"

	"tenon/server/chat"
	"tenon/server/lmstudio"
)

// A call is answered once. A nil result is void.
type call func(ctx context.Context, c *conn, parameter json.RawMessage) (any, error)

// An open channel runs until its function returns: with nil it is closed, with an error it fails.
type channelRun func(ch *channel, parameter json.RawMessage) error

// calls are those that are served, by namespace. Any other is answered with an error: the SDKs
// would wait for ever.
var calls = map[namespace]map[string]call{
	llm:       with("applyPromptTemplate", asked(applyPromptTemplate)),
	embedding: with("embedString", of(embedString, true)),
	"system": {
		"listDownloadedModels": asked(listDownloaded),
		// each file is a model of its own here
		"listDownloadedModelVariants": answer(func(*conn) any { return []modelInfo{} }),
		"version":                     answer(func(c *conn) any { return packet{"version": c.server.Version, "build": 0} }),
		"info":                        answer(func(c *conn) any { return packet{"pid": os.Getpid(), "isDaemon": true, "version": c.server.Version} }),
		// a message for the app's window
		"notify": answer(func(*conn) any { return nil }),
	},
	"files": {"uploadFileBase64": asked(uploadFile)},
	"repository": {
		"searchModels":            asked(searchModels),
		"getModelDownloadOptions": asked(downloadOptions),
	},
}

// managing are the calls and channels of whoever may change the fleet: what changes it, has the
// server ask the hub, or shows what others ask.
var managing = map[string]bool{
	"loadModel": true, "unloadModel": true, "estimateModelUsage": true, "streamLogs": true,
	"searchModels": true, "getModelDownloadOptions": true, "downloadModel": true,
}

// with are the calls that both kinds of model have, and another.
func with(name string, further call) map[string]call {
	return map[string]call{
		name:                         further,
		"listLoaded":                 asked(listLoaded),
		"getModelInfo":               told(describeInstance, false),
		"getLoadConfig":              told(loadConfig, true),
		"getBasePredictionConfig":    told(baseConfig, true),
		"getInstanceProcessingState": told(processingState, false),
		"unloadModel":                asked(unloadModel),
		"estimateModelUsage":         asked(estimateUsage),
		"tokenize":                   of(tokenize, true),
		"countTokens":                of(countTokens, true),
	}
}

// channels are those that are served, by namespace.
var channels = map[namespace]map[string]channelRun{
	llm: {
		"loadModel":       opened(loadModel),
		"getOrLoad":       opened(getOrLoad),
		"predict":         opened(predict),
		"completeRawText": opened(completeRawText),
	},
	embedding:     {"loadModel": opened(loadModel), "getOrLoad": opened(getOrLoad)},
	"system":      {"alive": opened(alive)},
	"diagnostics": {"streamLogs": opened(streamLogs)},
	"repository":  {"downloadModel": opened(downloadModel)},
}

// answer is a call whose answer is known.
func answer(known func(c *conn) any) call {
	return func(_ context.Context, c *conn, _ json.RawMessage) (any, error) { return known(c), nil }
}

// of is a call about a loaded model. Where there is none, it answers nothing, unless an error is
// wanted, or must be.
func of(run func(ctx context.Context, c *conn, i lmstudio.Instance, p specified) (any, error), must bool) call {
	return asked(func(ctx context.Context, c *conn, p specified) (any, error) {
		if p.Specifier.Type == "" {
			p.Specifier = p.Model
		}
		i, err := c.find(ctx, p.Specifier)
		switch {
		case err == nil:
			return run(ctx, c, i, p)
		case must || p.Throw:
			return nil, err
		}
		return nil, nil
	})
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

// told is of for what an instance itself tells.
func told[T any](tell func(lmstudio.Instance) T, must bool) call {
	return of(func(_ context.Context, _ *conn, i lmstudio.Instance, _ specified) (any, error) { return tell(i), nil }, must)
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
