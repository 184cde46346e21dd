package streamtest_test

import (
	"strings"
	"testing"

	"tenon/server/streamtest"
)

// Streams in order, one event a line as "name data". Each reader must take its own, and none of
// those that break below.
const (
	chatStream = `
 {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
 {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Let me look."},"finish_reason":null}]}
 {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null}]}
 {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]},"finish_reason":null}]}
 {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}
 {"id":"c","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":3}}
 [DONE]`

	messageStream = `
message_start {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[],"usage":{"input_tokens":3,"output_tokens":0}}}
content_block_start {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
content_block_delta {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}
content_block_delta {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}
content_block_stop {"type":"content_block_stop","index":0}
ping {"type":"ping"}
content_block_start {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}
content_block_delta {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}
content_block_stop {"type":"content_block_stop","index":1}
message_delta {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":5}}
message_stop {"type":"message_stop"}`

	responseStream = `
response.created {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","model":"x","output":[],"tools":[]}}
response.in_progress {"type":"response.in_progress","sequence_number":1,"response":{"id":"r","object":"response","status":"in_progress","model":"x","output":[],"tools":[]}}
response.output_item.added {"type":"response.output_item.added","sequence_number":2,"output_index":0,"item":{"type":"message","id":"msg_1","content":[]}}
response.content_part.added {"type":"response.content_part.added","sequence_number":3,"output_index":0,"item_id":"msg_1","content_index":0}
response.output_text.delta {"type":"response.output_text.delta","sequence_number":4,"output_index":0,"item_id":"msg_1","content_index":0,"delta":"Let me look."}
response.output_text.done {"type":"response.output_text.done","sequence_number":5,"output_index":0,"item_id":"msg_1","content_index":0,"text":"Let me look."}
response.output_item.done {"type":"response.output_item.done","sequence_number":6,"output_index":0,"item":{"type":"message","id":"msg_1","content":[{"type":"output_text","text":"Let me look."}]}}
response.output_item.added {"type":"response.output_item.added","sequence_number":7,"output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":""}}
response.function_call_arguments.delta {"type":"response.function_call_arguments.delta","sequence_number":8,"output_index":1,"item_id":"fc_1","delta":"{}"}
response.function_call_arguments.done {"type":"response.function_call_arguments.done","sequence_number":9,"output_index":1,"item_id":"fc_1","arguments":"{}"}
response.output_item.done {"type":"response.output_item.done","sequence_number":10,"output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"}}
response.completed {"type":"response.completed","sequence_number":11,"response":{"id":"r","object":"response","status":"completed","model":"x","output":[{},{}],"tools":[],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}}`
)

// write makes a stream of lines.
func write(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(lines, "\n")) {
		name, data, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if name != "" {
			b.WriteString("event: " + name + "\n")
		}
		b.WriteString("data: " + data + "\n\n")
	}
	return b.String()
}

var protocols = []struct {
	path, stream string
	read         []func(string) error
}{
	{"/v1/chat/completions", chatStream, []func(string) error{streamtest.Chat}},
	{"/v1/messages", messageStream, []func(string) error{streamtest.Messages}},
	{"/v1/responses", responseStream, []func(string) error{streamtest.Responses, streamtest.Codex}},
}

func TestReaders_takeWhatIsInOrder(t *testing.T) {
	for _, p := range protocols {
		for _, read := range p.read {
			if err := read(": keep-alive\n\n" + write(p.stream)); err != nil {
				t.Errorf("%s: %v", p.path, err)
			}
		}
	}
}

// Every event but the optional ones is needed: without it a reader complains. So the readers can
// fail.
func TestReaders_missEachEventThatIsLeftOut(t *testing.T) {
	optional := []string{`"content":"Let me look."},"finish_reason"`, `"usage":{"total_tokens":3}`, `"type":"ping"`, `"partial_json"`, `"thinking_delta"`,
		`"type":"response.content_part.added"`, `"type":"response.output_text.done"`, `"type":"response.function_call_arguments.done"`}
	for _, p := range protocols {
		lines := strings.Split(strings.TrimPrefix(p.stream, "\n"), "\n")
		for i, line := range lines {
			without := strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "\n")
			err := streamtest.Check(p.path, write(without))
			if err == nil && !holdsAny(line, optional) {
				t.Errorf("%s: nobody missed %s", p.path, line)
			}
		}
	}
}

func holdsAny(line string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}

// What servers were seen to send, and what clients cannot read.
func TestReaders_refuseBrokenStreams(t *testing.T) {
	for _, c := range []struct{ name, path, from, to string }{
		{"a call without an id", "/v1/chat/completions", `"id":"call_1",`, ``},
		{"a call without a name", "/v1/chat/completions", `"name":"f",`, ``},
		{"a call that begins at index 1", "/v1/chat/completions", `"tool_calls":[{"index":0,"id"`, `"tool_calls":[{"index":1,"id"`},
		{"arguments that are cut off", "/v1/chat/completions", `{\"a\":1}`, `{\"a\":1`},
		{"arguments that go on after they are whole", "/v1/chat/completions", `"arguments":""`, `"arguments":"{}"`},
		{"calls, but the reason is stop", "/v1/chat/completions", `"finish_reason":"tool_calls"`, `"finish_reason":"stop"`},
		{"another id", "/v1/chat/completions", `{"id":"c","object":"chat.completion.chunk","choices":[]`, `{"id":"d","object":"chat.completion.chunk","choices":[]`},
		{"no role", "/v1/chat/completions", `"role":"assistant",`, ``},
		{"no usage at the start", "/v1/messages", `"usage":{"input_tokens":3,"output_tokens":0}`, `"stop_reason":null`},
		{"a gap between blocks", "/v1/messages", `"index":1,"content_block"`, `"index":2,"content_block"`},
		{"a delta of another type", "/v1/messages", `"type":"thinking_delta"`, `"type":"text_delta"`},
		{"a call without input", "/v1/messages", `,"input":{}`, ``},
		{"input that is cut off", "/v1/messages", `{\"a\":1}`, `{\"a\":1`},
		{"thinking without a signature", "/v1/messages", `"type":"signature_delta"`, `"type":"thinking_delta"`},
		{"an event under another name", "/v1/messages", "message_delta {", "delta {"},
		{"no output_index", "/v1/responses", `"output_index":0,"item_id":"msg_1","content_index":0,"delta"`, `"item_id":"msg_1","content_index":0,"delta"`},
		{"no content_index", "/v1/responses", `"content_index":0,"delta"`, `"delta"`},
		{"a sequence number that repeats", "/v1/responses", `"sequence_number":5`, `"sequence_number":4`},
		{"deltas that say something else", "/v1/responses", `"delta":"Let me look."`, `"delta":"Let me."`},
		{"a finished call without its call_id", "/v1/responses", `"sequence_number":10,"output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"c"`, `"sequence_number":10,"output_index":1,"item":{"type":"function_call","id":"fc_1"`},
		{"usage without a total", "/v1/responses", `,"total_tokens":2`, ``},
		{"an item fewer at the end", "/v1/responses", `"output":[{},{}]`, `"output":[{}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, p := range protocols {
				if p.path != c.path {
					continue
				}
				broken := strings.Replace(p.stream, c.from, c.to, 1)
				if broken == p.stream {
					t.Fatal("nothing was broken")
				}
				if streamtest.Check(p.path, write(broken)) == nil {
					t.Error("it was taken")
				}
			}
		})
	}
}

// Errors after the first byte, as llama-server was seen to send them and as the protocols say.
func TestReaders_errorsInsideStreams(t *testing.T) {
	for _, c := range []struct {
		path, stream string
		ok           bool
	}{
		{"/v1/chat/completions", ` {"error":{"message":"gone","type":"server_error"}}`, true},
		{"/v1/messages", `error {"type":"error","error":{"type":"api_error","message":"gone"}}`, true},
		{"/v1/messages", `error {"error":{"message":"gone"}}`, false},
		{"/v1/responses", ` {"error":{"message":"gone"}}`, false},
	} {
		if err := streamtest.Check(c.path, write(c.stream)); (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.path, c.stream, err)
		}
	}
}

// Framing that a strict reader of event streams cannot split.
func TestReaders_brokenFrames(t *testing.T) {
	for _, stream := range []string{"data: [DONE]\n", "data: [DONE]", "data: {\ndata: }\n\n", "hello\n\n", "data: [DONE]\n\ndata: {}\n\n"} {
		if streamtest.Chat(stream) == nil {
			t.Errorf("%q was taken", stream)
		}
	}
}
