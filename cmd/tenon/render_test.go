package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A template of our own that shows every variable that render sets.
const probeTemplate = `{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% if m.reasoning_content is defined %}({{ m.thinking }}|{{ m.reasoning_content }}){% endif %}` +
	`{% for c in m.tool_calls or [] %}[{{ c.function.name }} {{ c.function.arguments }}]{% endfor %}{{ eos_token }}` + "\n" +
	`{% endfor %}{% if tools is none %}no tools{% else %}{{ tools|tojson }}{% endif %}{% if documents is not none %}{{ documents }}{% endif %}` +
	`{% if add_generation_prompt %}<assistant>{% endif %}{{ strftime_now("%Y-%m-%d %H:%M") }}{% if style is defined %}{{ style }}{% endif %}` +
	`{% if messages|length == 0 %}{{ raise_exception("say something") }}{% endif %}`

// execute runs a command as main does.
func execute(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&errs)
	err = root.Execute()
	return out.String(), errs.String(), err
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a server would refuse to start with is refused here, too, and what it would take counts.
func TestRender_settingsCountForATemplateAlone(t *testing.T) {
	template, request := write(t, "t.jinja", probeTemplate), write(t, "r.json", `{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f"}}]}`)
	for variable, want := range map[string]string{
		"TENON_TOOL_FORMAT=hermse":  "did you mean hermes?",
		"TENON_ADAPTERS=/not/there": "adapters: open /not/there",
		"TENON_TOOL_FORMAT=react":   "",
		"TENON_TOOL_GUIDANCE=true":  "",
	} {
		name, value, _ := strings.Cut(variable, "=")
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			out, _, err := execute(t, "render", "--template", template, "--request", request)
			switch {
			case want != "":
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v\n%s", variable, err, out)
				}
			case err != nil || !strings.Contains(out, "Action: ") && !strings.Contains(out, "Example of a call of f:"):
				t.Errorf("%s: %v\n%s", variable, err, out)
			}
		})
	}
}

func TestRender_asSent(t *testing.T) {
	template := write(t, "t.jinja", probeTemplate)
	for name, c := range map[string]struct {
		request string
		flags   []string
		want    string
	}{
		"plain": {
			`{"messages":[{"role":"user","content":"<b>é</b>"}]}`, []string{"--bos", "<s>", "--eos", "</s>"},
			"<s><user><b>é</b></s>\nno tools<assistant>2025-07-26 12:34",
		},
		"nulls are dropped, thinking is copied, arguments stay": {
			`{"messages":[{"role":"assistant","content":null,"reasoning":"hm","tool_calls":[{"function":{"name":"f","arguments":"{\"a\": 1}"}}]}],"add_generation_prompt":false}`, nil,
			"<assistant>(hm|hm)[f {\"a\": 1}]\nno tools2025-07-26 12:34",
		},
		"tools, documents and arguments": {
			`{"messages":[{"role":"zq","content":1.0}],"tools":[{"b":1,"a":[]}],"documents":["d"],"chat_template_kwargs":{"style":"x"}}`, nil,
			"<zq>1.0\n[{\"b\": 1, \"a\": []}]['d']<assistant>2025-07-26 12:34x",
		},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"render", "--template", template, "--request", write(t, "r.json", c.request), "--heal=off", "--now", "2025-07-26T12:34:56+02:00"}, c.flags...)
			out, _, err := execute(t, args...)
			if err != nil || out != c.want {
				t.Errorf("%v\ngot  %q\nwant %q", err, out, c.want)
			}
		})
	}
}

func TestRender_whatTheTemplateRaisesIsAnError(t *testing.T) {
	template, request := write(t, "t.jinja", probeTemplate), write(t, "r.json", `{"messages":[]}`)
	out, _, err := execute(t, "render", "--template", template, "--request", request, "--heal=off")
	if out != "" || err == nil || !strings.Contains(err.Error(), "say something") {
		t.Errorf("%q, %v", out, err)
	}
	if _, _, err = execute(t, "render", "--template", template, "--request", request); err == nil || !strings.Contains(err.Error(), "messages") {
		t.Errorf("healing, empty messages: %v", err)
	}
}

// A template that a GGUF holds is not trusted with the variables either: the sandbox is the
// immutable one.
func TestRender_asSentChangesNothing(t *testing.T) {
	request := write(t, "r.json", `{"messages":[{"role":"user","content":"hi","name":null,"x":{"a":1}}]}`)
	for source, want := range map[string]string{
		"{{ messages.append(1) }}":                                                "no attribute 'append'",
		"{{ messages[0].x.update(b=2) }}":                                         "no attribute 'update'",
		"{{ messages[0].__class__() }}":                                           "no attribute '__class__'",
		"{{ raise_exception(['name' in messages[0], tools, documents]|string) }}": "[False, None, None]",
		"{{ raise_exception(messages[0]|tojson) }}":                               `{"role": "user", "content": "hi", "x": {"a": 1}}`,
	} {
		out, _, err := execute(t, "render", "--template", write(t, "t.jinja", source), "--request", request, "--heal=off")
		if out != "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", source, out, err)
		}
	}
}

func TestRender_context(t *testing.T) {
	template, context := write(t, "t.jinja", "{{ a }}{{ bos_token is defined }}{{ eos_token }}"), write(t, "c.json", `{"a":[1,"x"]}`)
	out, _, err := execute(t, "render", "--template", template, "--context", context, "--eos", "E")
	if want := "[1, 'x']FalseE"; err != nil || out != want {
		t.Errorf("%v: got %q, want %q", err, out, want)
	}
}

func TestRender_heals(t *testing.T) {
	template := write(t, "t.jinja", `{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('first') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}`)
	request := write(t, "r.json", `{"messages":[{"role":"user","content":"a"},{"role":"system","content":"b"},{"role":"user","content":[{"type":"text","text":"c"}]}]}`)
	out, _, err := execute(t, "render", "--template", template, "--request", request)
	if want := "<user>a<user>System message:\n\nb<user>c"; err != nil || out != want {
		t.Errorf("%v: got %q, want %q", err, out, want)
	}
	out, _, err = execute(t, "render", "--template", template, "--request", request, "--segments")
	want := `{"kind":"text","text":"<user>"}` + "\n" + `{"kind":"content","text":"a","field":"text","message":0}` + "\n"
	if err != nil || !strings.HasPrefix(out, want) {
		t.Errorf("%v: got %s", err, out)
	}
}

func TestRender_unusableTemplateIsReplaced(t *testing.T) {
	for name, source := range map[string]string{
		"syntax":       "{% for %}",
		"recursion":    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
		"endless":      "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
		"allocation":   "{{ 'x' * 999999999 }}",
		"unknown":      "{{ messages|no_such_filter }}",
		"says nothing": "hello",
	} {
		t.Run(name, func(t *testing.T) {
			request := write(t, "r.json", `{"messages":[{"role":"user","content":"hi"}]}`)
			out, stderr, err := execute(t, "render", "--template", write(t, "t.jinja", source), "--request", request)
			if err != nil || out != "User: hi\n\nAssistant:" || !strings.Contains(stderr, "built-in rendering") {
				t.Errorf("%v: %q, %q", err, out, stderr)
			}
			out, _, err = execute(t, "show", "--template", write(t, "t.jinja", source))
			if err != nil || !strings.Contains(out, "cannot be used") {
				t.Errorf("show: %v: %q", err, out)
			}
		})
	}
}

func TestRender_badFlagsNameThemselves(t *testing.T) {
	template, request := write(t, "t.jinja", "x"), write(t, "r.json", `{"messages":[{"role":"king","content":"hi"}]}`)
	for want, args := range map[string][]string{
		"--template":                             {"--request", request},
		"--request":                              {"--template", template},
		"--heal":                                 {"--template", template, "--request", request, "--heal=maybe"},
		"--now":                                  {"--template", template, "--request", request, "--now=soon"},
		"messages[0].role":                       {"--template", template, "--request", request},
		"no such file":                           {"--template", template + "x", "--request", request},
		"expected a string or an array of parts": {"--template", template, "--request", write(t, "r.json", `{"messages":[{"role":"user","content":7}]}`)},
		"messages: is of type number; expected an array":             {"--template", template, "--request", write(t, "r.json", `{"messages":7}`)},
		"messages[1].name: is of type number; expected a string":     {"--template", template, "--request", write(t, "r.json", `{"messages":[{"role":"user"},{"role":"user","name":7}]}`)},
		"the body is of type array; expected an object":              {"--template", template, "--request", write(t, "r.json", `[]`)},
		"add_generation_prompt: is of type string; expected true or": {"--template", template, "--heal=off", "--request", write(t, "r.json", `{"messages":[],"add_generation_prompt":"x"}`)},
		"messages: is of type object; expected an array":             {"--template", template, "--heal=off", "--request", write(t, "r.json", `{"messages":{}}`)},
		"goes on after its JSON object":                              {"--template", template, "--request", write(t, "r.json", `{"messages":[{"role":"user","content":"hi"}]} {}`)},
		"after top-level value":                                      {"--template", template, "--heal=off", "--request", write(t, "r.json", `{"messages":[]} {}`)},
		"content[1]: is of type image_url":                           {"--template", template, "--request", write(t, "r.json", `{"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url"}]}]}`)},
	} {
		if _, _, err := execute(t, append([]string{"render"}, args...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v lacks %q", args, err, want)
		}
	}
}

func TestShow_printsTheProbe(t *testing.T) {
	template := write(t, "t.jinja", `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}`)
	out, _, err := execute(t, "show", "--template", template)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tool protocol\tjson", "system messages\tanywhere", "generation prompt\t\"<assistant>\""} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	if out, _, err = execute(t, "show", "--template", template, "--json"); err != nil || !strings.Contains(out, `"generation_prompt": "<assistant>"`) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestShow_listsTheRules(t *testing.T) {
	out, _, err := execute(t, "show", "--rules")
	if err != nil || !strings.Contains(out, "rule\tmerge-system\t") || !strings.Contains(out, "\tclaude-code-billing\t") || !strings.Contains(out, "\tkimi-k2-queue\t") {
		t.Errorf("%v: %s", err, out)
	}
}

// For a model without a template nothing can be rendered as it was sent; healed, the built-in
// rendering takes over and says so.
func TestRender_withoutATemplate(t *testing.T) {
	const model = "../../../shared/data/vocab/ggml-vocab-gpt-2.gguf"
	if _, err := os.Stat(model); err != nil {
		t.Skip("no vocabularies beside the project:", err)
	}
	request := write(t, "r.json", `{"messages":[{"role":"user","content":"hi"}]}`)
	if out, _, err := execute(t, "render", "--model", model, "--request", request, "--heal=off"); err == nil || out != "" {
		t.Errorf("%v: %q", err, out)
	}
	out, stderr, err := execute(t, "render", "--model", model, "--request", request)
	if err != nil || out != "User: hi\n\nAssistant:" || !strings.Contains(stderr, "there is no chat template") {
		t.Errorf("%v: %q, %q", err, out, stderr)
	}
}

// Calls as they were before there were tools are calls all the same.
func TestRender_functionCallsOfOld(t *testing.T) {
	template := write(t, "t.jinja", `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}`)
	request := write(t, "r.json", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"function_call":{"name":"look","arguments":"{\"at\":\"sea\"}"}},{"role":"function","name":"look","content":"blue"}]}`)
	out, _, err := execute(t, "render", "--template", template, "--request", request)
	if err != nil || !strings.Contains(out, `{"tool": "look", "arguments": {"at":"sea"}}`) || !strings.Contains(out, "Result of look:\nblue") {
		t.Errorf("%v: %s", err, out)
	}
}

// What serve would do is shown: the request's tool_format, the model's settings and adapter, what
// was healed and ignored, and what it would refuse.
func TestRender_asServe(t *testing.T) {
	template := write(t, "t.jinja", `{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}`)
	const tools = `"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object","required":["at"],
		"properties":{"at":{"type":"string","description":"where to look, at length and in detail, with all that can be said"},"extra":{"type":"integer"}}}}}]`
	request := func(more string) string {
		return write(t, "r.json", `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"","arguments":"{\"at\": \"se"}}]},
			{"role":"tool","tool_call_id":"c","content":"blue"}],`+tools+more+`}`)
	}
	out, told, err := execute(t, "render", "--template", template, "--request", request(`,"tool_format":"react","user":"me"`))
	if err != nil || !strings.Contains(out, "Action: unnamed_tool") || !strings.Contains(out, "extra") {
		t.Errorf("%v: %s", err, out)
	}
	for _, want := range []string{"calls: react, as react", "healed: message 1, missing-name", "repair-arguments", "ignored: user"} {
		if !strings.Contains(told, want) {
			t.Errorf("not told: %q in\n%s", want, told)
		}
	}
	for want, more := range map[string]string{"tool_choice": `,"tool_choice":{"type":"function","function":{"name":"fly"}}`, "tool_format": `,"tool_format":"morse"`} {
		if _, _, err := execute(t, "render", "--template", template, "--request", request(more)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	const model = "../../../shared/data/vocab/ggml-vocab-gpt-2.gguf"
	if _, err := os.Stat(model); err != nil {
		t.Skip("no vocabularies beside the project:", err)
	}
	t.Run("settings", func(t *testing.T) {
		t.Setenv("TENON_SIMPLIFY_TOOLS", "required-only,describe:10")
		out, _, err := execute(t, "render", "--model", model, "--request", request(""))
		if err != nil || strings.Contains(out, "extra") || strings.Contains(out, "at length") {
			t.Errorf("the settings have no effect: %v\n%s", err, out)
		}
	})
	t.Run("format", func(t *testing.T) {
		// S3-15: the environment says how tools are called, and render how they will be
		t.Setenv("TENON_TOOL_FORMAT", "react")
		if _, told, err := execute(t, "render", "--model", model, "--request", request("")); err != nil || !strings.Contains(told, "calls: react, as react") {
			t.Errorf("%v\n%s", err, told)
		}
	})
	t.Run("context", func(t *testing.T) {
		t.Setenv("TENON_CTX_SIZE", "32")
		if out, _, err := execute(t, "render", "--model", model, "--request", request("")); err == nil || !strings.Contains(err.Error(), "greater than the context length of 32") || out != "" {
			t.Errorf("a prompt that is served to nobody: %v\n%s", err, out)
		}
	})
	source, err := filepath.Abs(model)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TENON_CONFIG", write(t, "tenon.yaml", "models:\n  gpt-2:\n    source: "+source+"\n    adapter: {simplify: [required-only]}\n    tool-format: react\n"))
	out, told, err = execute(t, "render", "--model", "gpt-2", "--request", request(""))
	// S0-9: what is saved is told in tokens of the model, where the build can count them.
	if err != nil || strings.Contains(out, "extra") || !strings.Contains(told, "calls: react") || !strings.Contains(told, " without the model's adapter") {
		t.Errorf("the model's adapter and format have no effect: %v\n%s%s", err, told, out)
	}
}

// Tools that the server executes are refused as the server refuses them where the settings name
// none, and named where they do.
func TestRender_hostedTools(t *testing.T) {
	template := write(t, "t.jinja", `{% for m in messages %}{{ m.content }}{% endfor %}`)
	request := write(t, "r.json", `{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"mcp","server_label":"notes"}]}`)
	if _, _, err := execute(t, "render", "--template", template, "--request", request); err == nil || !strings.Contains(err.Error(), "tools[0]: the server executes no tools") {
		t.Errorf("%v", err)
	}
	t.Setenv("TENON_MCP_HOSTS", "mcp.example")
	if out, told, err := execute(t, "render", "--template", template, "--request", request); err != nil || out != "hi" || !strings.Contains(told, "tools[0]: the tools of notes are not shown") {
		t.Errorf("%v: %s%s", err, told, out)
	}
}

// A model with a BOS token gives it room in its context, as the server does; the model's
// vocabulary is the only thing that is asked.
func TestRender_countsBOSAndMarkersAsTheServerDoes(t *testing.T) {
	const model = "../../../shared/data/vocab/ggml-vocab-llama-spm.gguf"
	if _, err := os.Stat(model); err != nil {
		t.Skip("no vocabularies beside the project:", err)
	}
	request := write(t, "r.json", `{"messages":[{"role":"user","content":"hi"}]}`)
	prompt, _, err := execute(t, "render", "--model", model, "--request", request)
	if err != nil {
		t.Fatal(err)
	}
	n, err := askTokens(t.Context(), tokenQuestion{Model: model, Texts: []string{prompt}})
	if err != nil {
		t.Skip("this build counts no tokens of it:", err)
	}
	for size, fits := range map[int]bool{n[0] + 1: false, n[0] + 2: true} {
		t.Setenv("TENON_CTX_SIZE", strconv.Itoa(size))
		if _, _, err := execute(t, "render", "--model", model, "--request", request); (err == nil) != fits || !fits && !strings.Contains(err.Error(), "messages: the prompt has") {
			t.Errorf("%d tokens and BOS in a context of %d: %v", n[0], size, err)
		}
	}
}
