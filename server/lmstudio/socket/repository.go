package socket

import "context"

// Models are neither searched nor fetched by a running server: a download would not be listed before the next start.
const howToFetch = "tenon pull fetches a model, and so does a server that is started with its name"

func searchModels(context.Context, *conn, none) (any, error) {
	return nil, unserved("searches for models", howToFetch)
}

func downloadModel(*channel, none) error { return unserved("downloads", howToFetch) }
