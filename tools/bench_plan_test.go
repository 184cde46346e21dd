package tools

import (
	"encoding/json"
	"os"
	"testing"
)

// Planning a turn with an agent's whole tool set, once its schemas have been seen.
func BenchmarkPlan_githubTools(b *testing.B) {
	data, err := os.ReadFile("../../shared/data/tools/github-mcp.json")
	if err != nil {
		b.Skip("../../shared/data/tools is absent")
	}
	all := githubTools(b, data)
	for _, family := range []string{"hermes", "qwen3-coder", "gemma4"} {
		b.Run(family, func(b *testing.B) {
			d, _ := Lookup(family)
			for b.Loop() {
				if _, err := d.Plan(Turn{Tools: all, Parallel: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What a turn pays for its parser once its tools have been seen.
func BenchmarkPlan_parser(b *testing.B) {
	data, err := os.ReadFile("../../shared/data/tools/github-mcp.json")
	if err != nil {
		b.Skip("../../shared/data/tools is absent")
	}
	all := githubTools(b, data)
	for _, family := range []string{"hermes", "qwen3-coder", "gemma4"} {
		b.Run(family, func(b *testing.B) {
			d, _ := Lookup(family)
			p, err := d.Plan(Turn{Tools: all, Parallel: true})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p.Parser()
			}
		})
	}
}

func githubTools(b *testing.B, data []byte) []Tool {
	b.Helper()
	var wire []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"inputSchema"`
		Function    struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		b.Fatal(err)
	}
	var all []Tool
	for _, w := range wire {
		t := Tool{Name: w.Name, Parameters: w.Parameters}
		if t.Name == "" {
			t = Tool{Name: w.Function.Name, Parameters: w.Function.Parameters}
		}
		all = append(all, t)
	}
	return all
}
