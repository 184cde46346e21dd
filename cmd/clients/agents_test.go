package clients

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// client is a program that talks to a model server.
type client struct {
	name        string
	environment string // of pins
	run         func(context.Context, *seat) (string, error)
	// what a scripted model asks for, the first that is declared
	calls []call
	// of an SDK: its steps, in scripts/
	script string
	// what a refusal may say that the client is known to ask for and to get over
	refusals []string
	// a scripted model answers as its prompt says, behind a fleet that loads
	obeyed bool
	// it is for a real model alone
	untaught bool
	// the script that it runs against, and nothing else; nil: by what is above
	handler func(context.Context) (http.Handler, error)
	// requests before it counts as hanging; 0: mostRequests
	most int
	// it exits with an error where a model says nothing of use, as the real one does
	givesUp bool

	// waits is how long a script reads each prompt: ten times what the client waits for a
	// stream.
	waits time.Duration

	// overflow is what it says of a prompt that does not fit: the script's context is that
	// small.
	overflow string
}

// idle is how long an agent waits for a stream to go on, in milliseconds, by a setting of its own.
func (c client) idle() string {
	if c.waits > 0 {
		return strconv.FormatInt((c.waits / 10).Milliseconds(), 10)
	}
	return slow
}

// call is one of a tool.
type call struct {
	tool      string
	arguments any // marshals as a JSON object
}

// task is what agents are told. The word itself is in a file that only a tool can read.
const task = "Read the file secret.txt in the current folder with one of your tools, and tell me the secret word that it holds."

// agents are whole programs with tools of their own.
var agents = []client{
	{
		name: "claude-code", environment: "agents", run: claudeCode, givesUp: true,
		calls: []call{{"Bash", map[string]any{"command": "cat secret.txt", "description": "Show the file"}}},
	},
	{
		name: "codex", environment: "agents", run: codex, givesUp: true,
		calls: []call{{"exec_command", map[string]any{"cmd": "cat secret.txt"}}, {"shell", map[string]any{"command": []string{"cat", "secret.txt"}}}},
	},
	{
		name: "opencode", environment: "agents", run: opencode, givesUp: true,
		calls: []call{{"bash", map[string]any{"command": "cat secret.txt"}}},
	},
	{
		name: "qwen-code", environment: "agents", run: qwenCode, givesUp: true,
		calls: []call{{"run_shell_command", map[string]any{"command": "cat secret.txt", "is_background": false}}},
	},
	waiting("claude-code", claudeCode, call{"Bash", map[string]any{"command": "cat secret.txt", "description": "Show the file"}}),
	waiting("codex", codex, call{"exec_command", map[string]any{"cmd": "cat secret.txt"}}),
	// one token is left for the answer
	overflowing("claude-code", claudeCode, fmt.Sprintf("(limit %d)", smallContext-1)),
	overflowing("codex", codex, "ran out of room in the model's context window"),
	overflowing("opencode", opencodeLogged, "agent=compaction"),
}

// waiting is an agent that loses its patience ten times while the model reads its prompt, if
// nothing tells it that the stream lives.
func waiting(name string, run func(context.Context, *seat) (string, error), c call) client {
	return client{name: name + "-waiting", environment: "agents", run: run, calls: []call{c}, waits: 20 * time.Second}
}

// overflowing is an agent whose first prompt does not fit. It is told so in the protocol's words,
// and has read them if it says what follows from them.
func overflowing(name string, run func(context.Context, *seat) (string, error), says string) client {
	return client{name: name + "-overflow", environment: "agents", run: run, refusals: []string{"greater than the context length"}, overflow: says, most: 10}
}

// private is an environment that knows nothing of the user's: a home of its own, no telemetry, and
// only loopback.
func (s *seat) private(more ...string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + s.home, "XDG_CONFIG_HOME=" + s.home + "/.config", "XDG_DATA_HOME=" + s.home + "/.data", "XDG_CACHE_HOME=" + s.home + "/.cache",
		"TMPDIR=" + s.home, "TERM=dumb", "LANG=C.UTF-8", "CI=1", "NO_COLOR=1", "DO_NOT_TRACK=1",
		"HTTP_PROXY=" + s.outer, "HTTPS_PROXY=" + s.outer, "http_proxy=" + s.outer, "https_proxy=" + s.outer,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
	return append(env, more...)
}

// start runs a client in the folder that holds the secret.
func (s *seat) start(ctx context.Context, env []string, program string, args ...string) (string, error) {
	work := filepath.Join(s.home, "work")
	if err := os.WriteFile(filepath.Join(work, "secret.txt"), []byte("The secret word is "+s.secret+"\n"), 0o644); err != nil {
		return "", err
	}
	return process{dir: work, program: program, args: args, env: env, log: filepath.Join(s.home, "output.txt")}.run(ctx)
}

// module is a file of an installed npm package.
func (s *seat) module(path ...string) string {
	return filepath.Join(append([]string{s.dir, "node_modules"}, path...)...)
}

// platform is how npm packages of binaries call this machine.
func platform() string {
	return runtime.GOOS + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
}

// slow is how long agents are told to wait for a model, in milliseconds, by settings of their own.
// They give up after four to ten minutes otherwise, which a small machine needs to read an agent's
// prompt.
const slow = "7200000"

func claudeCode(ctx context.Context, s *seat) (string, error) {
	env := s.private(
		"ANTHROPIC_BASE_URL="+s.url, "ANTHROPIC_AUTH_TOKEN=any", "ANTHROPIC_MODEL="+s.model,
		"ANTHROPIC_DEFAULT_HAIKU_MODEL="+s.model, "ANTHROPIC_SMALL_FAST_MODEL="+s.model,
		"API_TIMEOUT_MS="+slow, "CLAUDE_STREAM_FIRST_BYTE_TIMEOUT_MS="+slow, "CLAUDE_STREAM_IDLE_TIMEOUT_MS="+slow,
		// What counts bytes may be short; the other cannot be less than five minutes.
		"CLAUDE_ENABLE_BYTE_WATCHDOG=1", "CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS="+s.idle,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
	)
	return s.start(ctx, env, s.module("@anthropic-ai", "claude-code-"+platform(), "claude"),
		"-p", task, "--allowedTools", "Bash", "--max-turns", "8")
}

func codex(ctx context.Context, s *seat) (string, error) {
	provider := fmt.Sprintf(`model_providers.tenon={name="tenon",base_url="%s/v1",wire_api="responses",request_max_retries=0,stream_max_retries=0,stream_idle_timeout_ms=%s}`, s.url, s.idle)
	return s.start(ctx, s.private("CODEX_HOME="+s.home), s.node, s.module("@openai", "codex", "bin", "codex.js"),
		"exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "-m", s.model, "-c", "model_provider=tenon", "-c", provider, task)
}

func opencode(ctx context.Context, s *seat) (string, error) { return openCode(ctx, s) }

// opencodeLogged also prints what opencode does on its own account.
func opencodeLogged(ctx context.Context, s *seat) (string, error) {
	return openCode(ctx, s, "--print-logs")
}

func openCode(ctx context.Context, s *seat, more ...string) (string, error) {
	config := fmt.Sprintf(`{"autoupdate": false, "share": "disabled", "permission": {"*": "allow"},
"provider": {"tenon": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "%s/v1", "apiKey": "any", "timeout": %s},
"models": {"%s": {"tool_call": true, "limit": {"context": %d, "output": 4096}}}}}}`, s.url, slow, s.model, s.context)
	env := s.private("OPENCODE_CONFIG_CONTENT="+config, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
	return s.start(ctx, env, s.module("opencode-"+platform(), "bin", "opencode"), append(more, "run", "-m", "tenon/"+s.model, task)...)
}

func qwenCode(ctx context.Context, s *seat) (string, error) {
	env := s.private("OPENAI_BASE_URL="+s.url+"/v1", "OPENAI_API_KEY=any", "OPENAI_MODEL="+s.model, "QWEN_TELEMETRY_ENABLED=false",
		"QWEN_STREAM_IDLE_TIMEOUT_MS="+slow, "QWEN_CODE_API_TIMEOUT_MS="+slow)
	return s.start(ctx, env, s.node, s.module("@qwen-code", "qwen-code", "cli-entry.js"),
		"--auth-type", "openai", "--approval-mode", "yolo", "--prompt", task)
}
