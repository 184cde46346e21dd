// Package bind finds the dialect of a model from its chat template.
package bind
