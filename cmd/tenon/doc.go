// Command tenon serves GGUF models with tool calls that always validate. `tenon --help` lists what
// it can do.
//
// COMMANDS.md beside this file shows what each command prints. A command has a file of its name;
// what several use has its own.
//
// # Files
//
//	main.go                             the commands together, and exit statuses
//	serve.go, app.go, door.go, drain.go the server: its parts, its port while models are
//	                                    fetched, its end
//	catalogue.go                        which models are served: fetched, found, named
//	access.go, discovery.go             who may call; the ports at which LM Studio's SDKs look
//	permodel.go, teaching.go, inforce.go, reload.go
//	                                    what is set for each model: settings, help with tools,
//	                                    what is in force, reading it again
//	engine.go, engine_remote.go, worker.go
//	                                    how a model is loaded, connected to, or run in a child
//	                                    process
//	start.go                            a server in the background: start, stop, restart,
//	                                    status, logs
//	remote.go, fleet.go, health.go      commands that ask a server: ls, ps, load, unload, pin,
//	                                    alias, rm
//	run.go, elicit.go                   chatting in the terminal; questions of tools there
//	pull.go, model_source.go            fetching models; finding one by what a user calls it
//	render.go, show.go, families.go     what templates and families do
//	parse.go, parse_tools.go, check.go  what a raw output means; what of tools is enforced
//	grammar.go, grammar_source.go       grammars: print, test, compile
//	explain.go, replay.go               what became of a request, and running it again
//	agent.go, mcp.go                    what the server executes, and the MCP servers it asks
//	launch.go, lms.go                   starting coding agents; answering as LM Studio's lms
//	                                    does
//	bench.go, doctor.go, bandwidth.go   speed of a model; what this machine is
//	tokens_cgo.go, tokens_pure.go       counting tokens, with llama.cpp and without
//	version.go, licenses.go             what this binary is
package main
