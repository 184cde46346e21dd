package clients

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

const declaredSecret = `,"tools":[{"type":"function","function":{"name":"get_secret","parameters":{"type":"object","properties":{"reason":{"type":"string"}}}}}]`

// The scripted model asks for the call, and says the secret once it stands in the prompt.
func TestScript_asksThenTells(t *testing.T) {
	to, err := serve(t.Context(), options{}, scripted)
	if err != nil {
		t.Fatal(err)
	}
	h, faults, err := to.handler(t.Context(), sdk("test", "js", "openai.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	s := &seat{home: t.TempDir()}
	server := s.sit(h)
	defer server.Close()
	for _, c := range []struct{ body, want string }{
		{`"messages":[{"role":"user","content":"hi"}]` + declaredSecret, `"name":"get_secret"`},
		{`"messages":[{"role":"user","content":"it is secret-0123456789ab"}]` + declaredSecret, `The secret word is secret-0123456789ab.`},
		{`"messages":[{"role":"user","content":"it is secret-0123456789ab"}],"tool_choice":"required"` + declaredSecret, `"name":"get_secret"`},
		{`"messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"w","schema":{"type":"object"}}}`, `Oslo`},
		{`"messages":[{"role":"user","content":"a title, please"}]`, `A word about nothing.`},
	} {
		resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"scripted",`+c.body+`}`))
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !strings.Contains(string(b), c.want) {
			t.Errorf("%s: %v %s", c.body, err, b)
		}
	}
	if f := faults(); len(f) > 0 {
		t.Errorf("%q", f)
	}
	if s.asked() != 5 {
		t.Errorf("%d requests were counted", s.asked())
	}
}

func TestScript_anAnswerThatTheGrammarRefusesIsAFault(t *testing.T) {
	if err := legal(`root ::= "yes"`, "no"); err == nil {
		t.Error("no error")
	}
	if err := legal(`root ::= (`, "no"); err == nil {
		t.Error("no error for a grammar that is none")
	}
	if err := legal("", "anything"); err != nil {
		t.Error(err)
	}
}

// The scripts are copied beside the packages that they import, and run with the private
// environment alone.
func TestSteps_runBesideTheirPackages(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "the user's own")
	dir, home := t.TempDir(), t.TempDir()
	fakeTools(t, map[string]string{"anode": `echo "ok $MODEL"; [ -f "$1" ] && [ -z "$OPENAI_API_KEY" ] && [ "$HOME" = ` + home + ` ] && echo end`})
	if err := furnish(home); err != nil {
		t.Fatal(err)
	}
	c := sdk("openai-js", "js", "openai.mjs")
	out, err := c.run(t.Context(), &seat{model: "m", home: home, dir: dir, node: "anode"})
	if err != nil || out != "ok m\nend\n" {
		t.Errorf("%q, %v", out, err)
	}
}

func TestScripts_eachReportsItsEnd(t *testing.T) {
	used := map[string]bool{"steps.mjs": true, "steps.py": true} // what they share
	for _, c := range sdks {
		used[c.script] = true
		b, err := scripts.ReadFile("scripts/" + c.script)
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.TrimSpace(string(b)); !strings.HasSuffix(text, "end()") && !strings.HasSuffix(text, "end();") || !strings.Contains(text, "steps") {
			t.Errorf("%s does not end with end()", c.script)
		}
	}
	all, err := filepath.Glob("scripts/*")
	if err != nil || len(all) != len(used) {
		t.Errorf("%d scripts, of which SDKs use %d, %v", len(all), len(used), err)
	}
}

// Whatever else a client asks for is refused and remembered.
func TestRefuser_remembersWhoWasAskedFor(t *testing.T) {
	r := &refuser{hosts: map[string]int{}}
	rec := newRecorder(r, "telemetry.example:443")
	if rec.Code != http.StatusForbidden || r.hosts["telemetry.example:443"] != 1 {
		t.Errorf("%d %v", rec.Code, r.hosts)
	}
}
