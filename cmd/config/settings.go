package config

import (
	"time"

	"tenon/engine"
)

// Settings is everything that can be set for `tenon serve`. Tags: flag is the name, default the
// default, help the text for people (what it does, its unit, what special values mean), min and
// max the bounds of a number, over a bound that it must be above, choices what a text may be
// beside its default, model that a model may have its own (models: in the file), path that the
// file means a place beside itself (gguf: only by what ends so), group the heading it stands
// under. A word in braces is a number that another package owns (numbers.go). Sampling fields come
// from the engine's table, and every model may have its own.
type Settings struct {
	Host         string   `group:"Listening" flag:"host" default:"127.0.0.1" help:"address to listen on; a public one needs an API key or --insecure"`
	Port         int      `flag:"port" default:"1234" min:"0" max:"65535" help:"TCP port to listen on"`
	APIKey       []string `flag:"api-key" help:"key that clients must send (Bearer or x-api-key); repeat for several; NAME=KEY names one for the log" secret:"yes"`
	APIKeyFile   string   `flag:"api-key-file" path:"yes" help:"file with one key per line, as KEY or NAME=KEY"`
	Insecure     bool     `flag:"insecure" help:"listen on a public address without a key"`
	AllowedHosts []string `flag:"allowed-hosts" help:"further names for the Host header, while there is no key; addresses, names without a dot and .local pass"`
	CORSOrigins  []string `flag:"cors-origins" help:"web pages that may call the server (scheme://host[:port]); none by default"`
	TLSCert      string   `flag:"ssl-cert-file" path:"yes" help:"certificate (PEM) to serve TLS with"`
	TLSKey       string   `flag:"ssl-key-file" path:"yes" help:"the certificate's private key (PEM)"`
	MaxBody      int      `flag:"max-body" default:"{max-body}" min:"1" max:"1048576" help:"largest request body, in MiB"`

	Heartbeat time.Duration `flag:"heartbeat" default:"{heartbeat}" min:"100ms" max:"{most-heartbeat}" help:"longest silence of a stream, while it waits for a slot, a model or the prompt too: then an event says that it lives"`
	MinDelta  int           `flag:"stream-min-bytes" default:"0" min:"0" max:"65536" help:"least bytes of a piece of streamed text, thinking or arguments, where more follows; 0: each token is sent as it comes"`

	Alias            []string      `group:"Models" flag:"alias" help:"another name for a model: NAME for the first one, or NAME=MODEL; repeat for several"`
	DefaultModel     string        `flag:"default-model" help:"the model of requests that name none, or one that there is not, as clients do that insist on a name; empty: those are refused"`
	ModelsDir        string        `flag:"models-dir" path:"yes" help:"folder whose models are served too, each loaded when it is first asked for"`
	FindModels       bool          `flag:"find-models" help:"serve also what tenon's store, LM Studio, Ollama, the Hugging Face cache and llama.cpp's cache hold, each loaded when it is first asked for; on where no model and no folder is named"`
	MaxModels        int           `flag:"models-max" default:"4" min:"0" help:"most models loaded at once; the longest idle one goes; 0: no limit"`
	KeepAlive        time.Duration `flag:"keep-alive" default:"0s" min:"0s" model:"yes" help:"how long a model stays loaded that nobody asks for; 0: until its room is needed"`
	ChatTemplateFile string        `flag:"chat-template-file" path:"yes" model:"yes" help:"chat template (Jinja) in place of the model file's own"`
	Adapters         string        `flag:"adapters" path:"yes" help:"folder of adapters, one a file (NAME.yaml): how models are helped with their tools, found by a part of the model's name (match) or named by the model's entry"`
	SimplifyTools    []string      `flag:"simplify-tools" help:"show weak models less of their tools, as OPTION,…: required-only, keep:NAME (of the optional ones), describe:N (characters), enum-text, hide-others, flatten; a model's adapter wins"`
	ToolGuidance     bool          `flag:"tool-guidance" help:"tell models how to call tools, with examples, in the system message; a model's adapter wins"`
	RoutingThought   int           `flag:"routing-thought" default:"0" min:"0" help:"tokens in which a model that does not think says first which tool it means and with what, as reasoning; 8 to 32 help small models, more do harm; 0: none; a model's adapter wins; every format has a place for one but functionary-v3.2, whose prompts end with the mark that a name follows"`
	ToolFormat       string        `flag:"tool-format" default:"auto" model:"yes" help:"how tools are called: auto (found from the template), json, react, xml (deprecated), or a family of 'tenon families'"`

	CtxSize      int           `group:"Engine" flag:"ctx-size" model:"yes" default:"0" min:"0" max:"134217728" help:"most tokens one request may use, prompt and answer; 0: what the model was trained for, less if memory demands it"`
	Parallel     int           `flag:"parallel" model:"yes" default:"{slots}" min:"1" help:"requests that run at once on a model"`
	QueueSize    int           `flag:"queue-size" default:"{queue}" min:"1" help:"requests that may wait for a slot; more get 429"`
	QueueTimeout time.Duration `flag:"queue-timeout" default:"{queue-timeout}" min:"1ms" help:"longest wait for a slot; then 503"`
	Threads      int           `flag:"threads" model:"yes" default:"0" min:"0" help:"threads of computation; 0: what the machine grants"`
	GPULayers    string        `flag:"gpu-layers" model:"yes" default:"auto" choices:"auto,a number" help:"layers on the GPU: auto (as many as fit) or a number"`
	FlashAttn    string        `flag:"flash-attn" model:"yes" default:"auto" choices:"auto,on,off" help:"flash attention: auto (measured once per model and machine), on, off"`
	Drafts       string        `flag:"drafts" model:"yes" default:"auto" choices:"auto,off" help:"tokens that are guessed from the conversation and evaluated together: auto (where that pays, as measured), off; the text is the same"`
	Draft        string        `flag:"draft" path:"gguf" model:"yes" help:"a smaller model of the same vocabulary, a GGUF file (.gguf) or a model at hand, that guesses what the conversation does not tell, where that pays, as measured; the text is the same; empty: none"`
	CacheTypeK   string        `flag:"cache-type-k" model:"yes" default:"f16" choices:"f16,q8_0,q4_0" help:"type of the KV cache's keys: f16, q8_0, q4_0"`
	CacheTypeV   string        `flag:"cache-type-v" model:"yes" default:"f16" choices:"f16,q8_0,q4_0" help:"type of the KV cache's values: f16, q8_0, q4_0"`
	BatchSize    int           `flag:"batch-size" model:"yes" default:"{batch}" min:"1" max:"134217728" help:"most tokens in one call of the model"`
	UBatchSize   int           `flag:"ubatch-size" model:"yes" default:"0" min:"0" max:"134217728" help:"most tokens computed at once; 0: {ubatch}, on a GPU {ubatch-gpu}"`
	MaxPause     time.Duration `flag:"max-pause" model:"yes" default:"{max-pause}" min:"1ms" help:"longest pause of a stream beside prompts, which are read in pieces that fit; where its own steps take three quarters of that or more, a third longer than they take"`
	CacheRAM     int           `flag:"cache-ram" default:"{cache-ram}" min:"-1" max:"1073741824" help:"MiB of memory for prompts that no request runs on, of all models together; -1: no limit, 0: none"`
	CacheDisk    int           `flag:"cache-disk" default:"0" min:"0" max:"1073741824" help:"MiB in the cache folder (tenon/prefixes, a folder for each model and owner) for what --cache-ram gives up, and holds when a model is unloaded: after a restart, conversations go on where they were. What was said can be read out of it; so 0, the default, writes nothing. A loaded model keeps to it by itself, all together when one is loaded or unloaded"`
	LoadMode     string        `flag:"load-mode" model:"yes" default:"auto" choices:"auto,mmap,none" help:"how weights come into memory: mmap maps the file, none reads it (on Linux into huge pages: decoding is faster), auto reads where the CPU computes and the weights would fit in free memory twice"`
	LoRA         []string      `flag:"lora" path:"yes" model:"yes" help:"LoRA adapter (GGUF), as FILE or FILE=SCALE; repeat for several"`
	RopeFreqBase float64       `flag:"rope-freq-base" model:"yes" default:"0" min:"0" help:"RoPE base frequency; 0: the file's"`
	RopeScale    float64       `flag:"rope-freq-scale" model:"yes" default:"0" min:"0" help:"RoPE frequency scale; 0: the file's"`
	Pooling      string        `flag:"pooling" model:"yes" choices:"mean,cls,last,none" help:"how embeddings are pooled: mean, cls, last, none; empty: the file's way"`

	NPredict    int `group:"Answers" flag:"n-predict" default:"-1" min:"-1" help:"most tokens of any answer; -1: no limit of the server's own"`
	CallRetries int `flag:"call-retries" default:"1" min:"0" help:"times that a turn is tried again, the error told to the model, when a call does not validate and nothing has been sent; 0: none"`

	engine.SamplingNumbers[float64, int]

	Seed int `flag:"seed" model:"yes" default:"-1" min:"-1" help:"seed of the sampler; -1: a new one each time"`

	ResponsesDir     string        `group:"Stored responses" flag:"responses-dir" path:"yes" help:"folder where responses are kept for previous_response_id and retrieval; empty: in memory"`
	ResponsesURL     string        `flag:"responses-url" secret:"yes" help:"PostgreSQL where several servers keep their responses together, in place of a folder: postgres://USER@HOST:PORT/DATABASE; its password comes by PGPASSWORD or the file PGPASSFILE, or stands in the URL, where that is given by TENON_RESPONSES_URL"`
	ResponsesMaxAge  time.Duration `flag:"responses-max-age" default:"{responses-age}" min:"1s" help:"how long a response is kept"`
	ResponsesMaxSize int           `flag:"responses-max-size" default:"{responses-size}" min:"1" max:"1048576" help:"most that all responses may take, in MiB; the oldest go"`

	AgentRounds     int           `group:"Tools that the server executes" flag:"agent-rounds" default:"{agent-rounds}" min:"1" help:"rounds of calls in one request, before a last one without tools brings the answer"`
	AgentTime       time.Duration `flag:"agent-time" default:"{agent-time}" min:"1s" help:"time after which a request calls no more tools"`
	AgentTokens     int           `flag:"agent-tokens" default:"0" min:"0" help:"tokens of output after which a request calls no more tools; 0: no limit"`
	AgentEqualCalls int           `flag:"agent-equal-calls" default:"{agent-equal-calls}" min:"1" help:"times that a request calls a tool with the same arguments"`
	AgentCallTime   time.Duration `flag:"agent-call-time" default:"{agent-call-time}" min:"1ms" help:"longest time of one call, where the tool has no limit of its own"`
	AgentJournal    string        `flag:"agent-journal" path:"yes" help:"file of JSON lines that records each executed call, for 'tenon agent log'; empty: agent.jsonl in the state folder"`

	MCPHosts    []string `group:"MCP servers that requests name" flag:"mcp-hosts" help:"hosts whose MCP servers a request may name (server_url, mcp_servers), as HOST, HOST:PORT or *.DOMAIN; empty: none"`
	MCPPrivate  bool     `flag:"mcp-private" help:"they may have private addresses, and speak http"`
	MCPApproval string   `flag:"mcp-approval" default:"ask" choices:"ask,allow" help:"calls of their tools: ask (each is approved by the client) or allow (unless the request asks for approvals)"`

	LogFormat         string        `group:"Running" flag:"log-format" default:"text" choices:"text,json" help:"log as text or json"`
	LogLevel          string        `flag:"log-level" default:"info" help:"least level to log: debug, info, warn, error"`
	LogPrompts        bool          `flag:"log-prompts" help:"write prompts and answers into the log"`
	DebugRequests     int           `flag:"debug-requests" default:"0" min:"0" help:"keep the records of the latest N requests, prompts and answers in them, for 'tenon explain'; 0: none"`
	OTLPEndpoint      string        `flag:"otlp-endpoint" help:"OpenTelemetry collector that gets traces and metrics (OTLP over HTTP), such as http://localhost:4318; empty: as OTEL_EXPORTER_OTLP_ENDPOINT says, and without it nothing is sent"`
	LMStudioDiscovery bool          `flag:"lmstudio-discovery" default:"true" help:"listen on loopback at the first free port at which LM Studio's SDKs look for a server, too"`
	DrainTimeout      time.Duration `flag:"drain-timeout" default:"25s" min:"0s" help:"how long SIGTERM waits for running requests"`
}
