// Package client talks to a running tenon server, for the command line.
//
//	c := client.New(settings)                       // where the settings say that it listens
//	list, err := c.Models(ctx)                      // what is at hand
//	err = c.Load(ctx, client.LoadRequest{Model: "gemma"}, bar.Show)
//	turn, err := c.Chat(ctx, request, client.Shower{Text: …, Thinking: …})
//
// The server's errors are *Error; where none answers, the error is ErrNoServer and says how to
// start one.
package client
