// Package declared prepares the tools that a client declared: their names as the model sees them,
// their schemas, and the reading of arguments against those.
package declared
