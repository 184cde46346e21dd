// Package enginetest holds what tests of and above engines share: a scripted engine that plays
// given turns, so that the whole server runs in-process without a model, and the suite that every
// engine passes ([Run]).
package enginetest
