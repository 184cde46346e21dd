// Package realtest holds the tests of package remote that need real engines: make test-remote
// builds a llama-server, make test-vllm fetches a vLLM for the CPU, and they run them.
package realtest
