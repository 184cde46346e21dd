# One set of cgo flags for build, vet, lint and test: any difference between
# them would compile llama.cpp once more (two to three minutes on two cores).
#
#   ENGINE=ollama     the default: llama.cpp out of the Go module github.com/ollama/ollama, compiled in. On Apple
#                     silicon it brings Metal and Accelerate along; no flag is needed.
#   ENGINE=libllama   a shared libllama, which is how newer architectures, CUDA, Vulkan and ROCm are had:
#                     the one in LIBLLAMA (an installation prefix; "make libllama" fills the default one), else
#                     what pkg-config knows as llama (a distribution's, Homebrew's). "make libllama" puts tenon's kernels
#                     into it (kernels.cmake, Linux); a distribution's computes with ggml's.
#   CPU="-m…"         options in the place of this machine's, for a binary that runs elsewhere (ENGINE=ollama; the other
#                     binary is tied to no CPU, only its library is)
#
# LIBLLAMA_CMAKE adds options for "make libllama":
#   -DGGML_CUDA=ON   CUDA (nvcc in PATH); GGML_VULKAN and GGML_HIP likewise
#   -DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON -DGGML_NATIVE=OFF
#                    a library for any CPU of the architecture, which picks its kernels when it starts: for images

CC  ?= cc
CXX ?= c++
ENGINE ?= ollama
LIBLLAMA ?= $(CURDIR)/build/libllama
UNAME_S := $(shell uname -s)
UNAME_M := $(shell uname -m)

# "native" is resolved to explicit options here, because Go's build cache knows
# a compiler only by its name, version and flags: with a literal -march=native,
# objects cached on one CPU would be linked, and crash, on another.
# gcc lists the options itself; clang names a CPU and a feature list.
ifeq ($(CPU),)
ifeq ($(UNAME_S)-$(UNAME_M),Darwin-arm64)
CPU_FLAGS := -mcpu=$(or $(shell $(CC) -mcpu=native -E -x c - -\#\#\# </dev/null 2>&1 | tr ' ' '\n' | sed -n '/target-cpu/{n;s/"//g;p;q;}'),apple-m1)
else
CPU_FLAGS := $(shell $(CC) -march=native -E -x c -v - </dev/null 2>&1 | grep -m1 'cc1.* -E' | \
	grep -oE -- ' (-m(arch|tune|cpu|no-)?[a-z0-9][-a-z0-9.=+]*|--param[ =][a-z0-9-]+=[0-9]+)' | sed 's/--param /--param=/' | tr -s '\n ' ' ')
endif
else
CPU_FLAGS := $(CPU)
endif

ifeq ($(ENGINE),ollama)
# The module's folder is known once it has been downloaded: on a fresh machine it is not.
OLLAMA       := github.com/ollama/ollama
OLLAMA_DIR   := $(or $(shell go list -m -f '{{.Dir}}' $(OLLAMA) 2>/dev/null),$(shell go mod download $(OLLAMA) >&2 && go list -m -f '{{.Dir}}' $(OLLAMA)))
CGO_CPPFLAGS := -DNDEBUG -DGGML_USE_CPU_REPACK -I$(OLLAMA_DIR)/llama/llama.cpp/include -I$(OLLAMA_DIR)/ml/backend/ggml/ggml/include
CGO_CFLAGS   := -O3 $(strip $(CPU_FLAGS))
CGO_CXXFLAGS := -O3 -w $(strip $(CPU_FLAGS))
CGO_LDFLAGS  :=
TAGS         :=
else ifeq ($(ENGINE),libllama)
CGO_CFLAGS   := -O3
CGO_CXXFLAGS :=
ifneq ($(wildcard $(LIBLLAMA)/include/llama.h),)
CGO_CPPFLAGS := -I$(LIBLLAMA)/include
CGO_LDFLAGS  := -L$(LIBLLAMA)/lib -Wl,-rpath,$(LIBLLAMA)/lib
else
CGO_CPPFLAGS := $(shell pkg-config --cflags llama 2>/dev/null)
CGO_LDFLAGS  := $(shell pkg-config --libs-only-L llama 2>/dev/null)
endif
TAGS         := libllama
else
$(error ENGINE is "$(ENGINE)"; it must be ollama or libllama)
endif

# Gin without MessagePack, which nothing here speaks: to compile that takes a third as long as all of
# tenon's packages.
export GOFLAGS := $(strip $(filter-out -tags=%,$(shell go env GOFLAGS)) -tags=nomsgpack$(TAGS:%=,%))

export CGO_CPPFLAGS CGO_CFLAGS CGO_CXXFLAGS CGO_LDFLAGS

.PHONY: env
env: ## print the cgo flags that every go command here uses, for eval in a shell
	@: $(foreach v,CPPFLAGS CFLAGS CXXFLAGS LDFLAGS,$(info CGO_$v="$(CGO_$v)"))$(info GOFLAGS="$(GOFLAGS)")

# llama.cpp v0.5.0 has no release that a package registry serves, but for the
# copy that node-llama-cpp carries for its own builds.
LIBLLAMA_PACKAGE := node-llama-cpp@3.22.1
LIBLLAMA_BUILD   := $(CURDIR)/build/llama.cpp
LLAMA_CPP_DIR    ?= $(LIBLLAMA_BUILD)/source

.PHONY: libllama
libllama: $(LLAMA_CPP_DIR)/CMakeLists.txt ## build a shared libllama from LLAMA_CPP_DIR, or from the copy in an npm package
	@command -v cmake >/dev/null || { echo "cmake is missing: apt install cmake, or brew install cmake"; exit 1; }
	cmake -S $(LLAMA_CPP_DIR) -B $(LIBLLAMA_BUILD)/build -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DGGML_NATIVE=ON \
		-DCMAKE_PROJECT_ggml_INCLUDE=$(CURDIR)/engine/llama/kernels.cmake \
		-DCMAKE_INSTALL_PREFIX=$(LIBLLAMA) -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_RPATH='$$ORIGIN' \
		-DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_TOOLS=OFF \
		-DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF $(LIBLLAMA_CMAKE)
	cmake --build $(LIBLLAMA_BUILD)/build --config Release --parallel $(shell getconf _NPROCESSORS_ONLN)
	cmake --install $(LIBLLAMA_BUILD)/build --config Release

LLAMA_SERVER ?= $(LIBLLAMA_BUILD)/server/bin/llama-server

.PHONY: llama-server
llama-server: $(LLAMA_CPP_DIR)/CMakeLists.txt ## build the llama-server that make bench compares with, of the same source
	@command -v cmake >/dev/null || { echo "cmake is missing: apt install cmake, or brew install cmake"; exit 1; }
	cmake -S $(LLAMA_CPP_DIR) -B $(LIBLLAMA_BUILD)/server -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF \
		-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF $(LIBLLAMA_CMAKE)
	cmake --build $(LIBLLAMA_BUILD)/server --config Release --target llama-server --parallel $(shell getconf _NPROCESSORS_ONLN)

$(LIBLLAMA_BUILD)/source/CMakeLists.txt:
	@for tool in npm git tar; do command -v $$tool >/dev/null || { echo "$$tool is missing: install it, or name a checkout of llama.cpp in LLAMA_CPP_DIR"; exit 1; }; done
	mkdir -p $(LIBLLAMA_BUILD)
	cd $(LIBLLAMA_BUILD) && rm -rf source package && npm pack --silent $(LIBLLAMA_PACKAGE) >/dev/null
	cd $(LIBLLAMA_BUILD) && tar xzf node-llama-cpp-*.tgz package/llama/gitRelease.bundle
	cd $(LIBLLAMA_BUILD) && git clone -q package/llama/gitRelease.bundle source

.PHONY: test-libllama
test-libllama: ## the tests of what links llama.cpp, against the shared libllama
	$(MAKE) --no-print-directory ENGINE=libllama go-test-engines

.PHONY: go-test-engines
go-test-engines:
	go vet ./engine/...
	go test ./engine/...
