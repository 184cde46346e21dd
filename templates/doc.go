// Package templates turns a conversation into the prompt that a model was trained on, whatever the
// client replays.
//
//	options := templates.Options{BOS: "<s>", EOS: "</s>", Markers: markers}
//	t, err := templates.Parse(source, options) // once per model
//	if err != nil { ... serve the model with templates.Builtin{}, and say why ... }
//	r, err := t.Render(templates.Conversation{Messages: messages, Tools: tools, Now: begun})
//	for _, s := range r.Segments { ... template text, markers, content ... }
//
// # Flow
//
//	source --mend--> --jinja.Parse--> template --prober--> Probe
//	Conversation --healing by Rules--> turns --variables--> jinja.Render --> spans
//	spans --markers--> Segments
//
// [Parse] applies the edit that is known for a broken template ([Edits]), parses it with package
// jinja and renders a few dozen canonical conversations with it. What it does with them is its
// [Probe]: data that `tenon show` prints, that decides between the template's own way of calling
// tools and one of tenon's ([Protocol]), and by which package tools finds the dialect
// (package canonical).
//
// [Template.Render] heals first: [Rules] lists what can be done, each rule leaves alone what the
// probe says the template takes, and each application is a [Heal] of the rendering. If the
// template raises none the less, milder and stronger remedies are tried in turn; [Builtin] comes
// last, so that no conversation of well-typed messages is ever refused.
//
// # Text is data
//
// A [Segment] is written by the template or by content, and only what the template writes can be a
// marker. Content remembers its message and field, so that a prompt's tokens can be counted by
// part.
//
// # Prompts that stay put
//
// Tools are shown in the order of their names, schemas tidied (package schema), headers that
// clients change with every request left out ([VolatileRules]). Where sampled token ids are kept,
// [Rendering.Slice] finds their place in a later prompt.
//
// What a template makes of the tools is kept with them, so that a turn costs what its messages
// cost.
//
// [Forward] heals, too, but renders nothing: its upstream does.
//
// # Without healing
//
// [AsSent] renders a request as transformers' apply_chat_template does, for comparison.
//
// # Files
//
//	template.go, builtin.go, as_sent.go, forward.go
//	                          the renderers: a template, tenon's own form, the request as it
//	                          is, JSON for an upstream that renders
//	conversation.go, segment.go
//	                          what goes in and what comes out
//	probe.go                  what is known of a template
//	prober*.go                finding it out
//	edits.go                  broken templates that vendors published
//	rules.go, healing.go      the rules, and the conversation that they work on
//	heal_*.go                 the rules for system messages, roles, calls and results
//	arguments.go, ids.go      arguments and ids of calls as clients replay them
//	remedies.go               what else is tried where a template raises
//	toolset.go                what is made of the declared tools once
//	protocol.go, scaffold.go, guidance.go, written.go
//	                          tools in words: tenon's own protocols, the client's tools and
//	                          past calls in the messages, examples
//	variables.go              the conversation as a template's variables
//	markers.go                markers in what the template wrote
//	stable.go                 what clients change with every request
package templates
