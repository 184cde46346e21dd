package server_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/server"
)

var update = flag.Bool("update", false, "write the golden files and the page of fields")

// fieldSample is a request field of a protocol: a valid value, a value of the wrong type, values
// out of its range, and what the page says about it.
type fieldSample struct {
	// JSON; wrong "": a string where the valid value is none, else a number
	valid, wrong string
	outside      []string // beyond those that the description's limits give
	taken        string   // a value that the description forbids and clients send
	note         string
	beside       string // other fields that the value needs, as members
	// of a common extension: the protocols that have it; nil: all but Completions, whose
	// prompt is plain text
	of []string
}

// storedID stands for the id of a response that is there.
const storedID = "resp_stored"

// protocolFields is a protocol and its fields.
type protocolFields struct {
	// schema: in OpenAI's description; "": our own list, from the protocol's documentation
	name, path, schema string
	minimal            string // a request's other members
	fields             map[string]fieldSample
}

const oneFunction = `[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`

var everyProtocol = []string{"Chat Completions", "Completions", "Responses", "Messages"}

var commonExtensions = map[string]fieldSample{
	"tool_format":            {valid: `"json"`, outside: []string{`"morse"`}, note: "how tools are called, over the model's own way"},
	"chat_template_kwargs":   {valid: `{"a":1}`, note: "variables of the chat template; its own names, such as `messages` and `range`, stay"},
	"grammar":                {valid: `"root ::= [a-z]+"`, outside: []string{`"root ::= ("`}, of: everyProtocol, note: "GBNF that the answer must match"},
	"thinking_budget_tokens": {valid: `100`, outside: []string{`-2`}, note: "most tokens of thinking; 0: none, -1: no limit"},
	"timings_per_token":      {valid: `true`, of: everyProtocol, note: "adds `timings`; with `cache_miss` where the prompt leaves an earlier one that was cached"},
	"elicitation":            {valid: `true`, of: []string{"Chat Completions"}, note: "of streamed Chat Completions: the client answers questions of tools that the server executes, see server/agent/AGENT.md"},
	"approvals":              {valid: `[]`, of: []string{"Chat Completions"}, note: "of Chat Completions: answers to requests for approval of calls that the server executes, see server/agent/AGENT.md"},
	"ttl":                    {valid: `60`, outside: []string{`0`, `-1`, `1e300`}, of: []string{"Chat Completions", "Completions"}, note: "of Chat Completions and Completions: seconds after which the idle model is unloaded, as LM Studio has it"},
}

var chatFields = protocolFields{
	name: "Chat Completions", path: "/v1/chat/completions", schema: "CreateChatCompletionRequest",
	minimal: `"model":"scripted","messages":[{"role":"user","content":"hi"}]`,
	fields: map[string]fieldSample{
		"model":                  {valid: `"scripted"`},
		"messages":               {valid: `[{"role":"user","content":"hi"}]`, outside: []string{`[]`}, note: "text only; another kind of part is a 400 that names it"},
		"audio":                  {valid: `{"voice":"x","format":"wav"}`, note: "text only"},
		"frequency_penalty":      {valid: `1`},
		"function_call":          {valid: `"auto"`, outside: []string{`"sometimes"`, `{"name":"g"}`}, beside: `,"functions":[{"name":"f"}]`, note: "the older form of tool_choice; the answer has the older form too"},
		"functions":              {valid: `[{"name":"f"}]`, outside: []string{`[{}]`}, note: "the older form of tools"},
		"logit_bias":             {valid: `{"5":1}`, outside: []string{`{"x":1}`, `{"5":101}`}},
		"logprobs":               {valid: `true`},
		"max_completion_tokens":  {valid: `9`, outside: []string{`0`, `-2`}, note: "-1: no limit"},
		"max_tokens":             {valid: `9`, outside: []string{`0`, `-2`}, note: "-1: no limit"},
		"metadata":               {valid: `{"a":"b"}`},
		"modalities":             {valid: `["text"]`, outside: []string{`["text","audio"]`}, note: "text only"},
		"moderation":             {valid: `{}`},
		"n":                      {valid: `2`},
		"parallel_tool_calls":    {valid: `false`, note: "not given, a model without a chat template makes one call a turn"},
		"prediction":             {valid: `{"type":"content","content":"x"}`},
		"presence_penalty":       {valid: `1`},
		"prompt_cache_key":       {valid: `"k"`, note: "prefixes are found by their tokens"},
		"prompt_cache_options":   {valid: `{}`},
		"prompt_cache_retention": {valid: `"24h"`},
		"reasoning_effort":       {valid: `"low"`, outside: []string{`"enormous"`}, note: "as the chat template knows it; none turns thinking off"},
		"response_format":        {valid: `{"type":"json_object"}`, outside: []string{`{"type":"xml"}`, `{"type":"json_schema"}`}},
		"safety_identifier":      {valid: `"s"`},
		"seed":                   {valid: `7`},
		"service_tier":           {valid: `"auto"`},
		"stop":                   {valid: `["a"]`, outside: []string{`[""]`, `[7]`}},
		"store":                  {valid: `true`},
		"stream":                 {valid: `true`},
		"stream_options":         {valid: `{"include_usage":true}`, beside: `,"stream":true`},
		"temperature":            {valid: `1.5`},
		"tool_choice":            {valid: `"auto"`, outside: []string{`"sometimes"`, `{"type":"function","function":{"name":"g"}}`}, beside: `,"tools":` + oneFunction},
		"tools":                  {valid: oneFunction, outside: []string{`[{"type":"magic"}]`, `[{"type":"function"}]`}},
		"top_logprobs":           {valid: `2`, beside: `,"logprobs":true`},
		"top_p":                  {valid: `0.5`},
		"user":                   {valid: `"u"`},
		"verbosity":              {valid: `"low"`},
		"web_search_options":     {valid: `{}`, note: "this server searches nothing"},
	},
}

var completionFields = protocolFields{
	name: "Completions", path: "/v1/completions", schema: "CreateCompletionRequest",
	minimal: `"model":"scripted","prompt":"hi"`,
	fields: map[string]fieldSample{
		"model":             {valid: `"scripted"`},
		"prompt":            {valid: `["a",[1,2]]`, outside: []string{`[]`, `[{}]`}},
		"best_of":           {valid: `2`, note: "send n, and choose"},
		"echo":              {valid: `true`},
		"frequency_penalty": {valid: `1`},
		"logit_bias":        {valid: `{"5":1}`, outside: []string{`{"x":1}`}},
		"logprobs":          {valid: `2`},
		"max_tokens":        {valid: `9`, taken: `-1`, outside: []string{`-2`}, note: "-1: no limit"},
		"n":                 {valid: `2`},
		"presence_penalty":  {valid: `1`},
		"seed":              {valid: `7`},
		"stop":              {valid: `"a"`, outside: []string{`[""]`}},
		"stream":            {valid: `true`},
		"stream_options":    {valid: `{"include_usage":true}`, beside: `,"stream":true`},
		"suffix":            {valid: `"b"`, note: "filled in where the model has the tokens for it; else a 400"},
		"temperature":       {valid: `1.5`},
		"top_p":             {valid: `0.5`},
		"user":              {valid: `"u"`},
	},
}

var responsesFields = protocolFields{
	name: "Responses", path: "/v1/responses", schema: "CreateResponse",
	minimal: `"model":"scripted","input":"hi"`,
	fields: map[string]fieldSample{
		"model":                  {valid: `"scripted"`},
		"input":                  {valid: `[{"role":"user","content":"hi"}]`, outside: []string{`[{"type":"magic"}]`}, note: "text only"},
		"background":             {valid: `true`, note: "needs store, and no stream; 64 at once, 16 of one key"},
		"context_management":     {valid: `[{"type":"compaction"}]`, note: "nothing is compacted"},
		"conversation":           {valid: `"c"`, note: "use previous_response_id"},
		"include":                {valid: `["reasoning.encrypted_content"]`, note: "reasoning.encrypted_content and message.output_text.logprobs; others have nothing to add"},
		"instructions":           {valid: `"be brief"`},
		"max_output_tokens":      {valid: `9`, taken: `15`, outside: []string{`0`}, note: "also less than the described 16: Codex sends 1"},
		"max_tool_calls":         {valid: `3`, note: "it counts hosted tools, of which there are none"},
		"metadata":               {valid: `{"a":"b"}`, outside: []string{`{"a":1}`}, note: "kept and echoed"},
		"moderation":             {valid: `{}`},
		"parallel_tool_calls":    {valid: `false`, note: "not given, a model without a chat template makes one call a turn"},
		"previous_response_id":   {valid: `"` + storedID + `"`, outside: []string{`"resp_none"`}, note: "of a stored response"},
		"prompt":                 {valid: `{"id":"p"}`, note: "hosted prompts are not kept"},
		"prompt_cache_key":       {valid: `"k"`},
		"prompt_cache_options":   {valid: `{}`},
		"prompt_cache_retention": {valid: `"24h"`},
		"reasoning":              {valid: `{"effort":"low","summary":"auto"}`, outside: []string{`{"effort":"enormous"}`}},
		"safety_identifier":      {valid: `"s"`},
		"service_tier":           {valid: `"auto"`},
		"store":                  {valid: `false`},
		"stream":                 {valid: `true`},
		"stream_options":         {valid: `{"include_obfuscation":false}`, beside: `,"stream":true`},
		"temperature":            {valid: `1.5`},
		"text":                   {valid: `{"format":{"type":"json_object"}}`, outside: []string{`{"format":{"type":"xml"}}`}, note: "verbosity is echoed and has no effect"},
		"tool_choice":            {valid: `"auto"`, outside: []string{`"sometimes"`, `{"type":"function","name":"g"}`}, beside: `,"tools":[{"type":"function","name":"f"}]`},
		"tools":                  {valid: `[{"type":"function","name":"f"}]`, outside: []string{`[{"type":"function"}]`, `[{}]`}, note: "function, custom, namespace; hosted tools are left out and listed"},
		"top_logprobs":           {valid: `2`, beside: `,"include":["message.output_text.logprobs"]`},
		"top_p":                  {valid: `0.5`},
		"truncation":             {valid: `"auto"`, outside: []string{`"x"`}, note: "with auto the oldest turns are left out of what does not fit, each as a whole, and how many messages they had is told"},
		"user":                   {valid: `"u"`},
	},
}

// messagesFields are those of https://docs.anthropic.com/en/api/messages and of the betas that
// clients send.
var messagesFields = protocolFields{
	name: "Messages", path: "/v1/messages",
	minimal: `"model":"scripted","max_tokens":2000,"messages":[{"role":"user","content":"hi"}]`,
	fields: map[string]fieldSample{
		"model":              {valid: `"scripted"`},
		"max_tokens":         {valid: `9`, outside: []string{`0`, `1.5`}},
		"messages":           {valid: `[{"role":"user","content":"hi"}]`, outside: []string{`[]`, `[{"role":"alien","content":"x"}]`}, note: "text, tools, thinking, documents as text; images are refused"},
		"cache_control":      {valid: `{"type":"ephemeral"}`, note: "prefixes are found by their tokens; usage tells what was cached"},
		"container":          {valid: `"c"`, note: "this server runs no code"},
		"context_management": {valid: `{"edits":[]}`},
		"inference_geo":      {valid: `"eu"`},
		"mcp_servers":        {valid: `[{"type":"url","url":"x","name":"n"}]`, note: "where the configuration allows none; see AGENT.md"},
		"metadata":           {valid: `{"user_id":"u"}`},
		"output_config":      {valid: `{"effort":"low"}`, outside: []string{`{"format":{"type":"xml"}}`}},
		"output_format":      {valid: `{"type":"json_schema","schema":{"type":"object"}}`, outside: []string{`{"type":"xml"}`}},
		"service_tier":       {valid: `"auto"`},
		"speed":              {valid: `"fast"`},
		"stop_sequences":     {valid: `["a"]`, outside: []string{`[""]`, `["` + strings.Repeat("x", 2049) + `"]`}},
		"stream":             {valid: `true`},
		"system":             {valid: `"s"`, outside: []string{`[{"type":"image"}]`}},
		"temperature":        {valid: `0.5`, outside: []string{`1.5`, `-1`}},
		"thinking":           {valid: `{"type":"enabled","budget_tokens":1024}`, outside: []string{`{"type":"maybe"}`, `{"type":"enabled","budget_tokens":9}`, `{"type":"enabled","budget_tokens":2000}`}},
		"thread":             {valid: `{"type":"create"}`, note: "refused as documented, so that SDKs send the whole conversation"},
		"tool_choice":        {valid: `{"type":"any"}`, outside: []string{`{"type":"maybe"}`, `{"type":"tool"}`, `{"type":"tool","name":"g"}`}, note: "without `disable_parallel_tool_use`, a model without a chat template makes one call a turn", beside: `,"tools":[{"name":"f","input_schema":{"type":"object"}}]`},
		"tools":              {valid: `[{"name":"f","input_schema":{"type":"object"}}]`, outside: []string{`[{"name":"f"}]`, `[{"input_schema":{}}]`}, note: "own ones, and those that the client runs: bash, text_editor, computer, memory; hosted types are left out and listed"},
		"top_k":              {valid: `5`, outside: []string{`-1`, `1.5`}},
		"top_p":              {valid: `0.5`, outside: []string{`2`, `-1`}},
	},
}

var allProtocols = []protocolFields{chatFields, completionFields, responsesFields, messagesFields}

// withStored is a server that takes storedID for the id of a response that it has.
func withStored(t *testing.T) http.Handler {
	t.Helper()
	o := options(t)
	o.Models.(oneModel).engine.Info.Vocab.Markers = []engine.Marker{{ID: 300, Text: "<PRE>"}, {ID: 301, Text: "<SUF>"}, {ID: 302, Text: "<MID>"}}
	h := server.New(o)
	var made struct{ ID string }
	if err := json.Unmarshal(askWith(t, h, "/v1/responses", `{"model":"scripted","input":"hi"}`).Body.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		r.Body = io.NopCloser(strings.NewReader(strings.Replace(string(body), storedID, made.ID, 1)))
		h.ServeHTTP(w, r)
	})
}

// body is a request with the field set.
func (p protocolFields) body(field, value, further string) string {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+p.minimal+further+"}"), &members); err != nil {
		panic(err) // the tables above are at fault
	}
	members[field] = json.RawMessage(value)
	b, err := json.Marshal(members)
	if err != nil {
		panic(fmt.Sprintf("%s %s: %v", p.name, field, err))
	}
	return string(b)
}

// treatment is what becomes of a field, found by sending it.
func (p protocolFields) treatment(t *testing.T, h http.Handler, field string, s fieldSample) string {
	t.Helper()
	rec := askWith(t, h, p.path, p.body(field, s.valid, s.beside))
	switch {
	case rec.Code == http.StatusBadRequest && strings.HasPrefix(named(t, rec.Body.Bytes()), field):
		return "refused"
	case rec.Code != http.StatusOK:
		t.Errorf("%s, %s: %d %s", p.name, field, rec.Code, rec.Body)
	case slices.Contains(strings.Split(rec.Header().Get("X-Tenon-Ignored"), ", "), field):
		return "ignored"
	}
	return "honoured"
}

// named is the field that an error names, in either shape.
func named(t *testing.T, body []byte) string {
	t.Helper()
	var e struct {
		Error struct {
			Param   *string
			Message string
		}
	}
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if e.Error.Param != nil {
		return *e.Error.Param
	}
	return e.Error.Message // Anthropic's shape has no field; the message begins with it
}

// Issue 7: every field is honoured, refused or listed as ignored, and the page beside the package
// says which.
func TestFields_thePageTellsWhatBecomesOfEach(t *testing.T) {
	d := readDescription(t)
	var page strings.Builder
	page.WriteString("# What becomes of each request field\n\n" +
		"Every field of OpenAI's public description, and of Anthropic's documentation, found out by sending it: *honoured*; *refused* with a\n" +
		"400 that names it; or *ignored*, which the answer's `X-Tenon-Ignored` header says, as it does of what stands inside of a field and\n" +
		"has no effect (`tools[].defer_loading`). A field of the wrong type, and a honoured one\n" +
		"that is out of range, is a 400 that names it, streamed or not. This page is printed by a test of package server (`go test ./server -update`).\n\n" +
		"Taken by all beside them: " + extensions() + ".\nCompletions, whose prompt is plain text, takes `grammar` and `timings_per_token` of these. Chat and Completions also take\n" +
		"llama-server's sampling fields.\n")
	h := withStored(t)
	for _, p := range allProtocols {
		for name, s := range commonExtensions {
			want := "honoured"
			if !p.extendedBy(name) {
				want = "ignored"
			}
			if got := p.treatment(t, h, name, s); got != want {
				t.Errorf("%s: the extension %s is %s, want %s", p.name, name, got, want)
			}
		}
		if p.schema != "" {
			p.sameFields(t, d.properties(t, p.schema))
		}
		p.print(t, h, &page)
	}
	const file = "FIELDS.md"
	if *update {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || string(old) != page.String() {
		t.Errorf("%s is out of date (%v); go test ./server -update writes it", file, err)
	}
}

// extendedBy tells whether a protocol has an extension.
func (p protocolFields) extendedBy(extension string) bool {
	of := commonExtensions[extension].of
	return of == nil && p.name != "Completions" || slices.Contains(of, p.name)
}

func extensions() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(commonExtensions)) {
		all = append(all, fmt.Sprintf("`%s` (%s)", name, commonExtensions[name].note))
	}
	return strings.Join(all, ", ")
}

func (p protocolFields) sameFields(t *testing.T, described []string) {
	t.Helper()
	for _, name := range described {
		if _, ok := p.fields[name]; !ok {
			t.Errorf("%s: the description has a field %q, which the table lacks", p.name, name)
		}
	}
	if len(described) != len(p.fields) {
		t.Errorf("%s: %d fields described, %d in the table", p.name, len(described), len(p.fields))
	}
}

func (p protocolFields) print(t *testing.T, h http.Handler, page *strings.Builder) {
	t.Helper()
	count := map[string]int{}
	var rows strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.fields)) {
		s := p.fields[name]
		what := p.treatment(t, h, name, s)
		count[what]++
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", name, what, s.note)
	}
	fmt.Fprintf(page, "\n## %s\n\n`POST %s`: %d fields, of which %d honoured, %d refused, %d ignored.\n\n| field | | |\n|---|---|---|\n%s",
		p.name, p.path, len(p.fields), count["honoured"], count["refused"], count["ignored"], rows.String())
}

// Issue 7: a wrong type or a value out of range is a plain 400 that names the field, also where a
// stream was asked for.
func TestFields_wrongValuesAreNamed(t *testing.T) {
	d := readDescription(t)
	h := withStored(t)
	sent := 0
	for _, p := range allProtocols {
		fields := maps.Clone(p.fields)
		for name, s := range commonExtensions {
			if p.extendedBy(name) {
				fields[name] = s
			}
		}
		for name, s := range fields {
			bad := append(slices.Clone(s.outside), wrongType(s))
			if p.schema != "" {
				bad = append(bad, d.outside(t, p.schema, name)...)
			}
			for _, value := range slices.DeleteFunc(bad, func(v string) bool { return v == s.taken }) {
				for _, further := range []string{"", `,"stream":true`} {
					sent++
					p.refuses(t, h, name, value, s.beside+further)
				}
			}
		}
	}
	t.Logf("%d requests", sent)
}

func (p protocolFields) refuses(t *testing.T, h http.Handler, field, value, further string) {
	t.Helper()
	rec := askWith(t, h, p.path, p.body(field, value, strings.Replace(further, `,"stream":true,"stream":true`, `,"stream":true`, 1)))
	if rec.Code != http.StatusBadRequest || !strings.HasPrefix(rec.Header().Get("Content-Type"), "application/json") || !strings.HasPrefix(named(t, rec.Body.Bytes()), field) {
		t.Errorf("%s, %s: %s%s: %d %s", p.name, field, value, further, rec.Code, rec.Body)
	}
}

// wrongType is a value that is not of the sample's type, or of any other that the field could
// have.
func wrongType(s fieldSample) string {
	if s.wrong != "" {
		return s.wrong
	}
	if s.valid[0] == '"' || s.valid[0] == '[' || s.valid[0] == '{' {
		return `7`
	}
	return `"x"`
}
