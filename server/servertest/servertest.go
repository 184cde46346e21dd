// Package servertest runs the whole server in-process on any engine, a scripted one as a rule, and
// watches what it sends.
//
//	model := servertest.Model{ID: "m", Engine: enginetest.Script(enginetest.Say("hello"))}
//	handler := server.New(servertest.Options(model))
//	handler = servertest.Watch(handler, func(e servertest.Exchange) { … e.Fault() … })
package servertest

import (
	"context"
	"log/slog"
	"slices"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server"
	"tenon/server/chat"
	"tenon/server/chat/prepared"
	"tenon/templates"
	"tenon/tools"
)

// Model serves a single engine under one name. It has no chat template, so tools are called by
// tenon's own protocol.
type Model struct {
	ID      string
	Aliases []string
	Engine  engine.Engine
	Thinks  bool // its answers may begin with thinking
}

var (
	_ chat.Models   = Model{}
	_ server.Models = Model{}
)

// severalCalls has a turn make as many calls as its script says.
var severalCalls = chat.Teaching{Repeats: prepared.AllowRepeats}

// Acquire implements chat.Models.
func (m Model) Acquire(_ context.Context, name string) (chat.Model, func(), error) {
	if name != "" && name != m.ID && !slices.Contains(m.Aliases, name) {
		return chat.Model{}, nil, chat.UnknownModel(name, []string{m.ID})
	}
	if m.Engine.Model().Can.Chat != "" {
		made, err := prepared.Prepare(catalog.Entry{ID: m.ID}, m.Engine, prepared.Options{})
		return made, func() {}, err
	}
	return chat.Model{ID: m.ID, Engine: m.Engine, Renderer: templates.Builtin{}, Dialect: tools.Fallback(), Thinks: m.Thinks, Teaching: severalCalls}, func() {}, nil
}

// Status implements server.Models.
func (m Model) Status() []fleet.Status {
	info := m.Engine.Model()
	return []fleet.Status{{Entry: catalog.Entry{ID: m.ID, Aliases: m.Aliases, ContextTrained: info.Context}, State: fleet.Loaded, Model: info}}
}

// Options serve the model and log nothing.
func Options(m Model) server.Options {
	return server.Options{Service: &chat.Service{Models: m}, Models: m, Log: slog.New(slog.DiscardHandler)}
}
