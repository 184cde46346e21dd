// Package streamtest reads event streams as the strictest clients do, and says what they would
// choke on. Tests and `make clients` run it on every stream that the server sends.
//
//	if err := streamtest.Check("/v1/messages", body); err != nil { … }
//
// There is one reader for each client whose rules are stricter than the protocol's own text:
//
//   - chat.go: the tracker of Vercel's AI SDK, for Chat Completions;
//   - messages.go: the accumulator of Anthropic's SDKs;
//   - responses.go: the accumulator of OpenAI's SDKs, which build the response from indexes;
//   - codex.go: Codex, which reads finished items and the last event.
//
// A reader takes a whole stream (event.go), so it also knows what is missing at its end. A stream
// that ends in an error of the protocol's own is in order: the server may fail, its stream may
// not.
package streamtest
