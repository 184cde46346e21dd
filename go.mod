module tenon

go 1.26.0

require (
	github.com/agnivade/levenshtein v1.2.2 // the name that a mistyped one is nearest to
	github.com/coder/websocket v1.8.15 // the sockets of LM Studio's SDKs (server/lmstudio/socket)
	github.com/dlclark/regexp2 v1.12.0 // checks what no automaton can: patterns with back-references; a tokenizer's patterns, which look ahead; oracle of lex's tests
	github.com/gin-gonic/gin v1.12.0 // HTTP routing; only package server imports it
	github.com/gofrs/flock v0.13.1 // two processes that pull one model (models/store)
	github.com/google/go-cmp v0.7.0 // readable differences in tests
	github.com/gpustack/gguf-parser-go v0.26.3 // estimates a model's memory
	github.com/jackc/pgx/v5 v5.13.0 // keeps responses in PostgreSQL, for several servers
	github.com/jedib0t/go-pretty/v6 v6.8.3 // tables, colour and progress bars of the command line
	github.com/modelcontextprotocol/go-sdk v1.8.0 // MCP clients: the protocol's official SDK
	github.com/ollama/ollama v0.17.4 // llama.cpp and ggml as cgo packages (engine/llama)
	github.com/pkoukk/tiktoken-go v0.1.8 // estimates token counts where no model is loaded
	github.com/pkoukk/tiktoken-go-loader v0.0.2 // its vocabularies, linked in
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // validates arguments, independently of package grammar
	github.com/shirou/gopsutil/v4 v4.26.10 // the machine's free memory
	github.com/spf13/cobra v1.10.2 // the command line
	go.etcd.io/bbolt v1.5.0 // keeps responses on disk, in one file that survives a crash
	golang.org/x/net v0.60.0 // the text of web pages, in any character set
	golang.org/x/term v0.46.0 // whether somebody is at the terminal; line editing with history
	golang.org/x/text v0.42.0 // letters whose other case is more than one letter; NFC before tokenizing
)

require (
	github.com/spf13/pflag v1.0.10 // flags that know whether they were set
	go.yaml.in/yaml/v3 v3.0.5 // the settings file, its values as they stand there
)

require github.com/prometheus/client_golang v1.25.0 // metrics

require ( // traces and metrics for collectors that are named (server/telemetry)
	go.opentelemetry.io/contrib/bridges/prometheus v0.72.0 // sends the registry of /metrics: no metric is kept twice
	go.opentelemetry.io/otel v1.47.0 // names and values of attributes; the header traceparent
	go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp v1.47.0 // the official OTLP over HTTP
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp v1.47.0 // the same, for spans
	go.opentelemetry.io/otel/metric v1.47.0 // histograms that conventions name
	go.opentelemetry.io/otel/sdk v1.47.0 // queues and samples spans, reads OTEL_* variables
	go.opentelemetry.io/otel/sdk/metric v1.47.0 // gathers metrics from time to time
	go.opentelemetry.io/otel/trace v1.47.0 // spans; engine/remote knows no more of it
	go.opentelemetry.io/proto/otlp v1.11.0 // what the collector of the tests decodes
	google.golang.org/protobuf v1.36.12 // the same
)

require (
	github.com/elastic/go-seccomp-bpf v1.6.0 // the worker's filter of system calls
	golang.org/x/sys v0.48.0 // Landlock's system calls
)

require github.com/klauspost/cpuid/v2 v2.3.0 // what the processor can, for tenon doctor

require (
	github.com/bahlo/generic-list-go v0.2.0 // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/buger/jsonparser v1.1.2 // indirect
	github.com/bytedance/gopkg v0.1.3 // indirect
	github.com/bytedance/sonic v1.15.0 // indirect
	github.com/bytedance/sonic/loader v0.5.0 // indirect
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/cloudwego/base64x v0.1.6 // indirect
	github.com/ebitengine/purego v0.11.2 // indirect
	github.com/gabriel-vasile/mimetype v1.4.12 // indirect
	github.com/gin-contrib/sse v1.1.0 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/go-ole/go-ole v1.2.6 // indirect
	github.com/go-playground/locales v0.14.1 // indirect
	github.com/go-playground/universal-translator v0.18.1 // indirect
	github.com/go-playground/validator/v10 v10.30.1 // indirect
	github.com/goccy/go-json v0.10.5 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.30.0 // indirect
	github.com/henvic/httpretty v0.1.4 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/invopop/jsonschema v0.14.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/json-iterator/go v1.1.12 // indirect
	github.com/leodido/go-urn v1.4.0 // indirect
	github.com/lufia/plan9stats v0.0.0-20211012122336-39d0f177ccd0 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/modern-go/concurrent v0.0.0-20180306012644-bacd9c7ef1dd // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/pb33f/ordered-map/v2 v2.3.1 // indirect
	github.com/pelletier/go-toml/v2 v2.2.4 // indirect
	github.com/power-devops/perfstat v0.0.0-20260805114148-88456608a4f6 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/quic-go/qpack v0.6.0 // indirect
	github.com/quic-go/quic-go v0.59.0 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/smallnest/ringbuffer v0.0.0-20241116012123-461381446e3d // indirect
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	github.com/tklauser/go-sysconf v0.4.0 // indirect
	github.com/tklauser/numcpus v0.12.0 // indirect
	github.com/twitchyliquid64/golang-asm v0.15.1 // indirect
	github.com/ugorji/go/codec v1.3.1 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	github.com/yusufpapurcu/wmi v1.2.4 // indirect
	go.mongodb.org/mongo-driver/v2 v2.5.0 // indirect
	go.opentelemetry.io/auto/sdk v1.2.1 // indirect
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.47.0 // indirect
	go.opentelemetry.io/otel/log v1.47.0 // indirect
	go.yaml.in/yaml/v4 v4.0.0-rc.2 // indirect
	golang.org/x/arch v0.22.0 // indirect
	golang.org/x/crypto v0.57.0 // indirect
	golang.org/x/exp v0.0.0-20250218142911-aa4b98e5adaa // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/time v0.15.0 // indirect
	golang.org/x/tools v0.49.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/grpc v1.83.2 // indirect
)

require (
	github.com/anthropics/anthropic-sdk-go/v2 v2.12.0 // drives the server in the tests of server/sdktest
	github.com/creack/pty v1.1.24 // a terminal for the tests of tenon run
	github.com/openai/openai-go/v3 v3.95.0 // drives the server in the tests of server/sdktest
)
