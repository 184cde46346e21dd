// Package wire is what the wire protocols have in common: reading one JSON object strictly,
// checking the ranges of numbers, writing JSON, the headers that every answer may carry, and what
// OpenAI's two protocols share: errors, logprobs, timings. It knows no protocol's requests.
package wire
