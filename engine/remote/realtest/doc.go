// Package realtest holds the tests of package remote that need a real llama-server: make
// test-remote builds one and runs them.
package realtest
