package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenon/engine/enginetest"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/agent/mcp"
	"tenon/server/servertest"
	"tenon/server/servertest/contract"
)

var officialDir = flag.String("mcp.servers", "", "folder whose node_modules hold the official MCP servers; see make test-mcp")

type officialCall struct{ tool, arguments, told string }

// officialCalls are the calls that the scripted model makes of each official server, and what it
// is told. FOLDER is a temporary folder.
var officialCalls = map[string][]officialCall{
	"everything": {{"echo", `{"message":"hi"}`, "Echo: hi"}, {"get-sum", `{"a":2,"b":40}`, "42"}},
	"filesystem": {
		{"list_directory", `{"path":"FOLDER"}`, "a.txt"}, {"read_text_file", `{"path":"FOLDER/a.txt"}`, "a mortise and"},
		{"read_text_file", `{"path":"/etc/passwd"}`, "Access denied"},
	},
	"memory": {
		{"create_entities", `{"entities":[{"name":"tenon","entityType":"joint","observations":["fits exactly"]}]}`, "fits exactly"},
		{"search_nodes", `{"query":"exactly"}`, "joint"},
	},
}

// ended is how an answer of each protocol says that it is whole.
var ended = regexp.MustCompile(`"stop_reason":"end_turn"|"finish_reason":"stop"|"status":"completed"`)

// Issue 24: the official servers, from npm, through each protocol, whole and streamed, and in the
// terminal.
func TestOfficial_throughEachProtocol(t *testing.T) {
	if *officialDir == "" {
		t.Skip("make test-mcp runs the official servers")
	}
	const end = "That is all."
	for name, calls := range officialCalls {
		folder := t.TempDir()
		if err := os.WriteFile(folder+"/a.txt", []byte("a mortise and a tenon"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := mcp.NewServer(name)
		s.Approval, s.Command = agent.Allow, []string{filepath.Join(*officialDir, "node_modules", ".bin", "mcp-server-"+name)}
		s.Env = map[string]string{"MEMORY_FILE_PATH": folder + "/memory.jsonl"}
		if name == "filesystem" {
			s.Command, s.Roots = append(s.Command, folder), []string{folder}
		}
		servers := mcp.Servers{mcp.NewClient(s)}
		t.Cleanup(servers.Close)
		var all []enginetest.Reply
		for _, c := range calls {
			all = append(all, enginetest.Say(fmt.Sprintf(`{"tool": %q, "arguments": %s}`, c.tool, strings.ReplaceAll(c.arguments, "FOLDER", folder))))
		}
		host := officialHost{servers, all, end}
		hosted := fmt.Sprintf(`"tools":[{"type":"mcp","server_label":%q,"require_approval":"never"}]`, name)
		for path, body := range map[string]string{
			"/v1/chat/completions": `"messages":[{"role":"user","content":"Look."}],` + hosted,
			"/v1/responses":        `"input":"Look.",` + hosted,
			"/v1/messages":         fmt.Sprintf(`"max_tokens":4000,"messages":[{"role":"user","content":"Look."}],"mcp_servers":[{"type":"url","name":%q}]`, name),
		} {
			for _, stream := range []bool{false, true} {
				place := fmt.Sprintf("%s, %s, stream %v", name, path, stream)
				host.request(t, place, path, fmt.Sprintf(`{"model":"m","stream":%v,%s}`, stream, body), calls)
			}
		}
		h, e := host.serve(t, nil)
		_, port, err := net.SplitHostPort(h.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		alone(t)
		out, _, err := executeWith(t, "look", "--port", port, "run", "m", "--use", name)
		if turns := e.Turns(); err != nil || !strings.Contains(out, end) || len(turns) != len(calls)+1 || !strings.Contains(turns[len(calls)].Prompt.String(), calls[len(calls)-1].told) {
			t.Errorf("%s, tenon run: %v, %d turns, %s", name, err, len(turns), out)
		}
		t.Logf("%s: %d calls in each of 6 requests and in tenon run", name, len(calls))
	}
}

// officialHost serves a model that says some calls, and an end, beside a server's tools.
type officialHost struct {
	servers mcp.Servers
	calls   []enginetest.Reply
	end     string
}

func (o officialHost) serve(t *testing.T, journal *agent.Journal) (*httptest.Server, *enginetest.Scripted) {
	t.Helper()
	e := enginetest.Script(append(slices.Clone(o.calls), enginetest.Say(o.end))...)
	e.Info.Context = 1 << 22
	options := servertest.Options(servertest.Model{ID: "m", Engine: e})
	options.Agent = agent.New(options.Service, agent.Options{Sources: []agent.Source{o.servers}, Journal: journal})
	h := httptest.NewServer(servertest.Watch(server.New(options), func(x servertest.Exchange) {
		for _, err := range append(contract.Faults(x), x.Fault()) {
			if err != nil {
				t.Error(err)
			}
		}
	}))
	t.Cleanup(h.Close)
	return h, e
}

// request sends one, and looks for what each call told in the prompt, the answer and the journal.
func (o officialHost) request(t *testing.T, place, path, body string, calls []officialCall) {
	t.Helper()
	record := filepath.Join(t.TempDir(), "journal")
	journal, err := agent.OpenJournal(record)
	if err != nil {
		t.Fatal(err)
	}
	h, e := o.serve(t, journal)
	resp, err := http.Post(h.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	if _ = resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK || !ended.Match(answer) {
		t.Fatalf("%s: %v %s %s", place, err, resp.Status, answer)
	}
	_ = journal.Close()
	lines, _ := os.ReadFile(record)
	prompt := e.Turns()[len(calls)].Prompt.String()
	for _, c := range calls {
		if !strings.Contains(prompt, c.told) || !bytes.Contains(answer, []byte(c.told)) || !bytes.Contains(lines, []byte(c.told)) {
			t.Errorf("%s: %s: %q is not what model, client and journal were told: %s", place, c.tool, c.told, answer)
		}
	}
}
