// Package models is the tree of what turns a name that a user types into a loaded engine. It holds
// no code itself.
//
//	gguf       reads the headers of model files
//	catalog    which models are at hand, and what they are called
//	store      fetches models and keeps their files
//	placement  what a model needs of the machine's memory
//	fleet      which models are loaded: loads, evicts, keeps alive
package models
