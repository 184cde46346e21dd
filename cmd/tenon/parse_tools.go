package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"tenon/tools"
)

// openAITool is a member of an OpenAI tools array, in the shape of Chat Completions or of Responses.
type openAITool struct {
	Type     string        `json:"type"`
	Function *functionTool `json:"function"`
	Custom   *customTool   `json:"custom"`
	functionTool
	Format json.RawMessage `json:"format"`
	Tools  []openAITool    `json:"tools"` // of a namespace
}

type functionTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type customTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Format      json.RawMessage `json:"format"`
}

// readTools reads a tools array. hosted are the types of those that are no part of what a model writes.
func readTools(path string) (declared []tools.Tool, hosted []string, err error) {
	if path == "" {
		return nil, nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var wire []openAITool
	if err := json.Unmarshal(b, &wire); err != nil {
		return nil, nil, fmt.Errorf("%s: an OpenAI tools array is wanted: %w", path, err)
	}
	declared, hosted = declare(wire, "")
	return declared, hosted, nil
}

// toolWord is what a tool may be called. Families write a prefix before it.
var toolWord = regexp.MustCompile(`[\pL_][\pL\pN_.-]*`)

// anyTools declares each word of a text that could name a tool, with any arguments: a call is one by how it is written then.
func anyTools(raw []byte) (declared []tools.Tool) {
	const most = 500 // names of a text that is no call's are of no use, and cost time
	seen := map[string]bool{}
	for _, word := range toolWord.FindAll(raw, -1) {
		name := strings.TrimPrefix(strings.TrimRight(string(word), ".-"), "functions.")
		if name == "" || len(name) > 64 || seen[name] {
			continue
		}
		if seen[name] = true; len(seen) > most {
			break
		}
		declared = append(declared, tools.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return declared
}

func declare(wire []openAITool, namespace string) (declared []tools.Tool, hosted []string) {
	for _, w := range wire {
		switch w.Type {
		case "namespace":
			inner, others := declare(w.Tools, w.Name)
			declared, hosted = append(declared, inner...), append(hosted, others...)
		case "function", "custom", "":
			t := w.tool()
			t.Namespace = namespace
			declared = append(declared, t)
		default:
			hosted = append(hosted, w.Type)
		}
	}
	return declared, hosted
}

func (w openAITool) tool() tools.Tool {
	if w.Type == "custom" {
		c := customTool{w.Name, w.Description, w.Format}
		if w.Custom != nil {
			c = *w.Custom
		}
		return tools.Tool{Name: c.Name, Description: c.Description, Freeform: freeform(c.Format)}
	}
	f := w.functionTool
	if w.Function != nil {
		f = *w.Function
	}
	return tools.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters} // strict is about masks, and there are none
}

// freeform reads the format of a custom tool; anything but a grammar means any text.
func freeform(format json.RawMessage) *tools.Freeform {
	type syntax struct {
		Syntax     string `json:"syntax"`
		Definition string `json:"definition"`
	}
	var f struct {
		syntax
		Grammar syntax `json:"grammar"`
	}
	if json.Unmarshal(format, &f) != nil {
		return &tools.Freeform{}
	}
	if f.Syntax == "" {
		f.syntax = f.Grammar
	}
	return &tools.Freeform{Syntax: f.Syntax, Definition: f.Definition}
}
