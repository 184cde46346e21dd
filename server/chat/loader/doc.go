// Package loader gives turns their models: it has them loaded, and prepares what goes with a
// loaded model, once per instance. A [Loader] is what [chat.Service] takes as its Models.
//
// What a model's file says before it is loaded are its [Traits].
package loader
