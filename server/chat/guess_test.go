package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/tools"
)

// S0-20, S0-21: a call is guessed where the adapter says so, behind the text that stays, and never
// beside a real one.
func TestGuess_onlyWhereTheAdapterSaysSo(t *testing.T) {
	const fence = "```bash\nls -la\n```"
	const formal = "<tool_call>\n{\"name\": \"Bash\", \"arguments\": {\"command\": \"pwd\"}}\n</tool_call>"
	for name, c := range map[string]struct {
		text  string
		guess []string
		mode  tools.Mode
		want  string
	}{
		"guessed":      {fence, []string{"Bash"}, tools.Auto, `guessed {"command":"ls -la"}`},
		"off":          {fence, nil, tools.Auto, ""},
		"not named":    {fence, []string{"Read"}, tools.Auto, ""},
		"none":         {fence, []string{"Bash"}, tools.None, ""},
		"a real one":   {fence + "\n" + formal, []string{"Bash"}, tools.Auto, `call {"command": "pwd"}`},
		"cut in parts": {"Sure. I'll use Bash to run `ls -la`", []string{"Bash"}, tools.Auto, `guessed {"command":"ls -la"}`},
	} {
		r := request()
		r.Model, r.Choice = "hermes", tools.Choice{Mode: c.mode}
		r.Tools = []tools.Tool{{Name: "Bash", Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)}}
		s, e := &Service{}, enginetest.Script(enginetest.Say(c.text))
		s.Models = taughtModel{scripted{e}, Teaching{Guess: c.guess}}
		var all Collector
		if err := s.Run(t.Context(), r, all.Add); err != nil {
			t.Fatal(err)
		}
		got, choice := "", all.Result().Choices[0]
		for _, call := range choice.Calls {
			kind, _, _ := strings.Cut(call.ID, "_")
			got += kind + " " + string(call.Arguments)
		}
		if got != c.want || (choice.Finish.Reason == ToolCalls) != (c.want != "") {
			t.Errorf("%s: %q, %s, want %q", name, got, choice.Finish.Reason, c.want)
		}
		guessed := strings.HasPrefix(c.want, "guessed")
		if note := len(choice.Finish.Notes) > 0 && strings.Contains(choice.Finish.Notes[len(choice.Finish.Notes)-1].Text+choice.Finish.Notes[0].Text, "guessed"); note != guessed {
			t.Errorf("%s: %+v", name, choice.Finish.Notes)
		}
		if guessed && choice.Text != c.text {
			t.Errorf("%s: the text is %q", name, choice.Text)
		}
	}
}
