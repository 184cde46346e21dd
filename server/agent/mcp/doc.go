// Package mcp offers the tools of MCP servers, with the protocol's official Go SDK.
//
// A [Client] is one server of the configuration: a program that speaks over its standard input and
// output, or an address of streamable HTTP. It connects when it is first asked, and again after a
// loss. Pauses grow with each failure, also of listing tools. [Servers] are several clients: one
// that hangs or fails costs its own tools and nobody else's. A [Connector] reaches servers that
// requests name.
//
// A server is not trusted. Lists, pages, names, schemas and results have limits; a call is not
// made where the server has changed the tool since the model was told of it; what it says is data.
// Sampling and elicitation are refused unless its settings allow them, and then serve the one call
// that runs (asks.go). It gets the variables and headers that are its own, and these are hidden in
// all that it says. So are values in the query of its address, and parts of its path that are long
// enough for a key.
//
// The SDK decodes schemas into maps: properties come in the order of the alphabet.
//
// # Files
//
//	server.go                                the settings of a server, and how it is reached
//	client.go                                the connection, and the list of tools
//	call.go                                  a call and its result
//	resources.go                             resources and prompts, for the model and for users
//	asks.go                                  sampling and elicitation
package mcp
