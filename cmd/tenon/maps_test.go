package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bounds are what keeps each map from growing.
var bounds = map[string]string{
	"engine.Model.Metadata":                               "the scalar keys of the model's file",
	"engine.Sampling.LogitBias":                           "its request",
	"engine/llama.specials.ranks":                         "the model's vocabulary",
	"engine/remote.Engine.pieces":                         "the model's vocabulary",
	"engine/remote.conversations.known":                   "mostEnds",
	"engine/sandbox.Command.Were":                         "the settings file",
	"engine/tokenjson.bpe.ids":                            "the model's vocabulary",
	"engine/tokenjson.bpe.joins":                          "the model's vocabulary",
	"engine/tokenjson.vocabulary.ids":                     "the model's vocabulary",
	"engine/tokens.Finder.ids":                            "the model's vocabulary",
	"engine/worker.Options.Measured":                      "what is measured of a machine: a few keys",
	"engine/worker.handler.sessions":                      "the running turns",
	"engine/worker.loadLine.Measured":                     "what is measured of a machine: a few keys",
	"engine/worker.loading.measured":                      "what is measured of a machine: a few keys",
	"engine/worker.process.found":                         "what is measured of a machine: a few keys",
	"engine/worker.turnRequest.Bias":                      "its request",
	"engine/worker/runner.Runner.symbols":                 "the model's vocabulary",
	"engine/worker/runner.loop.said":                      "saidKeys",
	"engine/worker/schedule.Cache.roots":                  "the sequences: a key without any goes",
	"engine/worker/schedule.Store.missed":                 "mostCopies",
	"models/catalog.Catalog.given":                        "the names that admins gave",
	"models/catalog.Catalog.seen":                         "the files of watched folders",
	"models/fleet.Fleet.failures":                         "the models at hand",
	"models/fleet.Fleet.off":                              "the models at hand",
	"models/fleet.Fleet.pins":                             "the models at hand",
	"models/gguf.File.values":                             "the file; its header's counts are held against its length",
	"models/store.Store.flights":                          "the running pulls",
	"models/store.Store.hosts":                            "the hosts that an admin's pulls led to",
	"models/store.flight.waiting":                         "the running requests",
	"server.modelInfo.Guarantees":                         "six keys",
	"server.ollamaShown.ModelInfo":                        "three keys",
	"server.silent.places":                                "maxSilent, and one",
	"server.labels.seen":                                  "200",
	"server/agent.aids.prompts":                           "the sources of a request's tools",
	"server/agent.chooser.taken":                          "the tools of its request and of the configuration",
	"server/agent.loop.equal":                             "the calls of its turn",
	"server/agent.toolset.tools":                          "the tools of the configuration and of the servers that its request names",
	"server/agent/builtin.Own.Headers":                    "the settings file",
	"server/agent/builtin.confinement.were":               "the settings file",
	"server/agent/builtin.request.headers":                "the settings file",
	"server/agent/builtin.webSearch.Headers":              "the settings file",
	"server/fleet.Model.Guarantees":                       "six keys",
	"server/agent/mcp.Client.calls":                       "the running calls",
	"server/agent/mcp.Server.Env":                         "the settings file",
	"server/agent/mcp.Server.Headers":                     "the settings file, or its request",
	"server/agent/mcp.Server.Tools":                       "the settings file",
	"server/agent/mcp.guarded.headers":                    "the settings file, or its request",
	"server/anthropic.messagesRequest.ChatTemplateKwargs": "its request",
	"server/anthropic.tool.Configs":                       "its request",
	"server/chat.HostedTools.Headers":                     "its request",
	"server/chat/loader.Loader.traits":                    "the models at hand and their templates",
	"server/chat/loader.Loader.warnings":                  "the models at hand",
	"server/chat/loader.Options.Sampling":                 "the models at hand",
	"server/chat/loader.Options.ToolFormat":               "the models at hand",
	"server/chat/record.Trace.Sampling":                   "the sampling fields",
	"server/chat.planned.freeform":                        "its request",
	"server/chat.repeats.made":                            "the calls of its turn",
	"server/chat.suspects.seen":                           "mostSuspects",
	"server/chat/owned.Table.shares":                      "its entries: an owner without any goes",
	"server/chat/owned.share.byKey":                       "the table's Size",
	"server/fleet.Log.followers":                          "the open connections",
	"server/lmstudio/rest.integration.Headers":            "its request",
	"server/lmstudio/rest.turn.running":                   "one call",
	"server/lmstudio/socket.Logs.readers":                 "the open sockets",
	"server/lmstudio/socket.conn.channels":                "mostRunning",
	"server/openai.chatRequest.ChatTemplateKwargs":        "its request",
	"server/openai.samplingFields.LogitBias":              "its request",
	"server/openai.streamer.finished":                     "the choices of its request",
	"server/openai.streamer.named":                        "the choices of its request",
	"server/openai.streamer.spoke":                        "the choices of its request",
	"server/responses.API.running":                        "the running requests",
	"server/responses.createRequest.ChatTemplateKwargs":   "its request",
	"server/responses.createRequest.Metadata":             "its request",
	"server/responses.local.byID":                         "maxStored and StoreOptions.MaxBytes",
	"server/responses.local.items":                        "the stored responses",
	"server/responses.local.owners":                       "the stored responses: an owner without any goes",
	"server/responses.response.Metadata":                  "its request",
	"server/wire.MCPTool.Headers":                         "its request",
	"server/wire.Others.Harmless":                         "a table of the code",
	"server/wire.Others.Refused":                          "a table of the code",
}

// Issue 19: maps do not grow for ever. Every field that is a map, of what serves, has its bound
// named here.
func TestMaps_eachHasABound(t *testing.T) {
	there := map[string]bool{}
	for _, root := range []string{"server", "models", "engine"} {
		err := filepath.WalkDir(filepath.Join("..", "..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (strings.HasSuffix(path, "test") || d.Name() == "testdata") {
				return fs.SkipDir
			}
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				for _, field := range mapFields(t, path) {
					there[field] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(there)) {
		if bounds[field] == "" {
			t.Errorf("%s: what bounds it?", field)
		}
	}
	for field := range bounds {
		if !there[field] {
			t.Errorf("%s is no field any more", field)
		}
	}
}

// mapFields are the fields of a file's structs that are maps, as package.Struct.field.
func mapFields(t *testing.T, path string) (all []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	folder, _ := filepath.Rel(filepath.Join("..", ".."), filepath.Dir(path)) // it is below
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range fields.Fields.List {
			_, isMap := f.Type.(*ast.MapType)
			selected, isSelector := f.Type.(*ast.SelectorExpr)
			if !isMap && !(isSelector && selected.Sel.Name == "Map") {
				continue
			}
			for _, name := range f.Names {
				all = append(all, folder+"."+spec.Name.Name+"."+name.Name)
			}
		}
		return true
	})
	return all
}
