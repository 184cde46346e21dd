// Package turn has the words that everything about tool calling shares: declared tools, what a
// turn may call, the calls and events that come out of it.
package turn
