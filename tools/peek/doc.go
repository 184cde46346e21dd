// Package peek looks at text that may still grow. A parser that reads a model's output token by
// token asks whether a marker stands at a place; the answer may be that more text has to come
// first.
package peek
