// Package contract holds what the server sends against what it promises: OpenAI's published
// description of its API, where that is at hand (beside the repository, in ../shared), and our own
// written contracts (contracts.json) for the protocols and fields that it says nothing of. Tests
// and `make clients` do so with everything that passes.
package contract
