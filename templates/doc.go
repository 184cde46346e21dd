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
package templates
