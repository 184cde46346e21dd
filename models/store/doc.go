// Package store fetches models and keeps their files.
//
//	s := &store.Store{Dir: dir}
//	ref, err := store.ParseRef("hf:Qwen/Qwen3-0.6B-GGUF:Q8_0")
//	path, err := s.Pull(ctx, ref, progress) // fetched if it is not here, resumed if half is
//
// A reference may also be ollama:name, an https address or a path.
//
// store.go decides where a model lies and whether it is here, hub.go and registry.go ask a source
// which files it has, search.go looks for models on a hub, ref.go reads what a user calls a model,
// share.go joins pulls of the same model. fetch.go brings one file: in ranges over several
// connections, with journal.go noting what is here. part.go checks a file that is here and gives
// it its name; progress.go tells how far a pull is. client.go is how a source is asked, and which
// addresses it may lead to.
package store
