package tools

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// reactTools are tools with one string, which one demands and one does not.
func reactTools(t testing.TB) []Tool {
	text := func(key string, required bool) json.RawMessage {
		s := map[string]any{"type": "object", "properties": map[string]any{key: map[string]any{"type": "string"}}}
		if required {
			s["required"] = []string{key}
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return append(defaultTools(t), Tool{Name: "bash", Parameters: text("command", true)}, Tool{Name: "search", Parameters: text("query", false)})
}

const reactHeredoc = "cat > a <<'EOF'\nThought: none\n- Action: call Bob\nObservation: none\n```\nAction: get_time\nEOF\nls"

// reactTexts are turns and the value that their text is; "-" where there is no call.
var reactTexts = []struct{ raw, want string }{
	// fences and backticks
	{"```\nAction: bash\nAction Input: ls\n```", "ls"},
	{"```text\nThought: x\nAction: bash\nAction Input: ls\n```\n", "ls"},
	{"```\nAction: bash\nAction Input: ```\nls\n```\n```", "ls"},
	{"Action: bash\nAction Input: ls\n```", "ls"},
	{"Action: bash\nAction Input: ls\n```\nObservation: x", "ls"},
	{"Action: bash\nAction Input: see\n```\nx\n```", "see\n```\nx\n```"},
	{"Action: bash\nAction Input: see\n```sh\nx\n```", "see\n```sh\nx\n```"},
	{"Action: bash\nAction Input: `ls`", "ls"},
	{"Action: bash\nAction Input: `ls -la`\nObservation: x", "ls -la"},
	{"Action: bash\nAction Input: `date` and `ls`", "`date` and `ls`"},
	{"Action: bash\nAction Input: ```ls```", "ls"},
	{"Action: bash\nAction Input: ```ls -la``` Observation: x", "ls -la"},
	{"Action: bash\nAction Input: ```\necho \"```\"\necho ```x``` y\n```", "echo \"```\"\necho ```x``` y"},
	{"Action: bash\nAction Input: ```sh\n# T\n```js\nx\n```\nend\n```\nObservation: x", "# T\n```js\nx\n```\nend"},
	{"Action: bash\nAction Input: ````\n```\nx\n```\n````", "```\nx\n```"},

	{"```\nAction: bash\nAction Input: ls```", "ls"},
	{"`Action: bash\nAction Input: ls`", "ls"},
	{"Action: bash\nAction Input: ```\necho a\nThought: none\nb\n```", "echo a\nThought: none\nb"},
	{"Action: bash\nAction Input: ```\nls\nObservation: x", "ls"},

	// labels
	{"Action: bash\nAction Inputs: ls", "ls"},
	{"Action: bash\nInputs: ls", "ls"},
	{"Action: bash\nInputs = ls", "ls"},
	{"Action: bash\nParameters: ls", "ls"},
	{"Action: bash\nArgs: ls", "ls"},
	{"Action: bash\nArgument: ls", "ls"},
	{"Action: bash\nAction Arguments: ls", "ls"},
	{"Action: bash\nAction Input (command): ls", "ls"},
	{"Action: bash\nAction Input - ls", "ls"},
	{"Action: bash\nAction Input = ls", "ls"},
	{"Action: bash\nAction Input\nls", "ls"},
	{"Action: bash\n**Action Input**\n`ls`", "ls"},
	{"Action: bash\nInputting: ls", "-"},
	{"Action: bash\nArguments to pass: ls", "-"},
	{"Action: search\nThe Inputs are: ls", "-"},
	{"Thought: x\nAction: search\nArguments to pass: ls", "-"},

	// words for "no input", and texts that only look like them
	{"Action: search\nAction Input: None", ""},
	{"Action: search\nAction Input: \"none\"", "none"},
	{"Action: search\nAction Input: None\n of the above", "None\n of the above"},
	{"Action: bash\nAction Input: 'none'\nObservation: x", "none"},

	// what ends the turn
	{"Action: bash\nAction Input: ls\nObservation", "ls"},
	{"Action: bash\nAction Input: ls\nObs", "ls"},
	{"Action: bash\nAction Input: ls\n**Obs", "ls"},
	{"Action: bash\nAction Input: {\"command\": \"ls\"}\nObs", "ls"},
	{"Action: bash\nAction Input: ls\nOb", "ls\nOb"},
	{"Action: bash\nAction Input: ls\nObserve", "ls\nObserve"},
	{"Action: bash\nAction Input: ls</s>", "ls"},
	{"Action: bash\nAction Input: ls<|END_OF_TURN_TOKEN|>", "ls"},
	{"Action: bash\nAction Input: ls</s>\nObservation: x", "ls"},
	{"Action: bash\nAction Input: ls</s></s>", "ls"},
	{"Action: bash\nAction Input: <s>ls</s>", "<s>ls</s>"},

	// a heredoc
	{"Action: bash\nAction Input: " + reactHeredoc, reactHeredoc},
	{"Action: bash\nAction Input: " + reactHeredoc + "\nObservation: x", reactHeredoc},
	{"Action: bash\nAction Input: ```sh\n" + reactHeredoc + "\n```", reactHeredoc},
	{"Action: bash\nAction Input: cat <<-EOF\n\tThought: x\n\tEOF", "cat <<-EOF\n\tThought: x\n\tEOF"},
	{"Action: bash\nAction Input: cat << EOF > a\nThought: x\nEOF\n\nObservation: x", "cat << EOF > a\nThought: x\nEOF"},
	{"Action: bash\nAction Input: cat <<EOF\nhi", "cat <<EOF\nhi"},
	{"Action: bash\nAction Input: cat <<EOF\nhi\nObservation: x", "-"},
	{"```\nAction: bash\nAction Input: cat <<EOF\nhi\n```", "-"},
	{"Action: bash\nAction Input: sh -c \"cat <<EOF\nThought: a\nEOF\"\nObservation: x", "sh -c \"cat <<EOF\nThought: a\nEOF\""},
	{"Action: bash\nAction Input: cat <<A <<B\nThought: a\nA\nThought: b\nB\nObservation: x", "cat <<A <<B\nThought: a\nA\nThought: b\nB"},
	{"Action: bash\nAction Input: cout << \"hi\"\nObservation: hi", "cout << \"hi\""},
	{"Action: bash\nAction Input: echo $((1<<n))\nObservation: 8", "echo $((1<<n))"},
}

// The text behind the label of arguments is the value, the whole value, and nothing else (S4-12):
// what stands around it is none of it, and what looks like its end within it is. Where that is not
// known there is no call.
func TestReact_textOfArguments(t *testing.T) {
	for _, c := range reactTexts {
		for _, family := range []string{"react", "hermes", "command-r-plus"} {
			d, _ := Lookup(family)
			p := planned(t, d, Turn{Tools: reactTools(t), Parallel: true})
			got := play(p.TextParser(), c.raw, 0, false)
			said := "-"
			if len(got.Calls) == 1 {
				said = ""
				for _, v := range got.Calls[0].Arguments.(map[string]any) {
					said = v.(string)
				}
			}
			if said != c.want || c.want != "-" && got.Content != nil {
				t.Errorf("%s: %q gives %q, want %q: %s", family, c.raw, said, c.want, sayMessage(got))
			}
			checkProperties(t, p, []byte(c.raw), 3)
		}
	}
}

// Whatever pieces the text of arguments is made of: it is read the same however it is cut.
func TestReact_anyTextOfArguments(t *testing.T) {
	d, _ := Lookup("react")
	p := planned(t, d, Turn{Tools: reactTools(t), Parallel: true})
	for seed := range 2000 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		raw := drawn(r, "", "```\n", "```sh\nThought: x\n", "`") + "Action: " + drawn(r, "bash", "search", "get_time", "write_file") + "\n" + drawn(r, "Action Input", "Inputs", "Args", "Parameters") + drawn(r, ": ", ":\n", " (x): ", " = ", "\n", " ", ": ```", ": ```sh\n", ": `")
		for range r.IntN(9) {
			raw += drawn(r, "ls", "\n", "\n", "```", "\n```\n", "```js\n", "`", " ", "\"", "cat <<EOF\n", "\nEOF\n", "\nObs", "\nObservation: x", "\nThought: none\n", "none", "</s>", "<|im_end|>", "{\"a\": 1}", "````")
		}
		checkProperties(t, p, []byte(raw), uint64(seed))
	}
}

// An object that is the whole call takes its label along.
func TestReact_callInAnObject(t *testing.T) {
	for _, raw := range []string{
		"Action:\n```json\n{\"action\": \"get_weather\", \"action_input\": {\"city\": \"Rome\"}}\n```",
		"Thought: x\nAction:\n```\n{\"action\": \"get_weather\", \"action_input\": {\"city\": \"Rome\"}}\n```\nObservation: 20",
		"Action: {\"action\": \"get_weather\", \"action_input\": {\"city\": \"Rome\"}}",
	} {
		for _, family := range []string{"react", "hermes", "command-r-plus"} {
			d, _ := Lookup(family)
			p := planFor(t, d, Thinking{})
			got := play(p.TextParser(), raw, 0, false)
			if len(got.Calls) != 1 || got.Calls[0].Name != "get_weather" || got.Content != nil && !strings.Contains(raw, "Observation") {
				t.Errorf("%s: %q: %s", family, raw, sayMessage(got))
			}
			checkProperties(t, p, []byte(raw), 3)
		}
	}
}

// What a line of arguments costs does not grow with those before it.
func TestWork_linesOfReActArguments(t *testing.T) {
	for _, family := range []string{"react", "hermes"} {
		d, _ := Lookup(family)
		p := planned(t, d, Turn{Tools: reactTools(t), Parallel: true})
		for _, unit := range []string{"abc def\n", "- Thought x\n", "</parameter>\n</function> ", "```\n", "```js\n", "``` ", "`", "cat <<EOF\n", "EOF\n", "Obs\n", "Action:\n```json\n{\"action\": \"get_weather\", \"x\": \""} {
			for _, head := range []string{"Action: get_weather\nAction Input: ", "Action: search\nAction Input: ```\n", "Action: write_file\nAction Input: a=1, "} {
				text := head + strings.Repeat(unit, 16<<10/len(unit))
				less, more := worked(p.TextParser(), text[:len(text)/4]), worked(p.TextParser(), text)
				if float64(more) > 5.5*float64(less) {
					t.Errorf("%s: %q behind %q: %d bytes are looked at, %d for 4 times the text", family, unit, head, less, more)
				}
			}
		}
	}
}
