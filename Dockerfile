# docker build --target cpu -t tenon:cpu .      amd64 and arm64; picks the CPU's best kernels when it starts
# docker build --target cuda -t tenon:cuda .    NVIDIA GPUs
#
# --build-arg VERSION=$(git describe --tags --always) names the version that tenon version prints.
# The engine is a shared libllama with loadable backends, so that an image is not tied to the CPU it was built on.

ARG GO=1.26
ARG CUDA=12.8.1

# ---- cpu -------------------------------------------------------------------------------------------------------------
FROM golang:${GO}-bookworm AS build-cpu
RUN apt-get update && apt-get install -y --no-install-recommends cmake git make g++ npm && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY Makefile ./
COPY engine/llama/cgo.mk engine/llama/kernels.cmake engine/llama/*_linux.cpp engine/llama/*_linux.h engine/llama/
RUN make libllama LIBLLAMA=/opt/llama \
    LIBLLAMA_CMAKE="-DGGML_NATIVE=OFF -DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON -DGGML_BACKEND_DIR=/opt/llama/lib"
COPY . .
ARG VERSION=devel
RUN make build ENGINE=libllama LIBLLAMA=/opt/llama CPU=-mtune=generic VERSION=${VERSION}

# ---- cuda ------------------------------------------------------------------------------------------------------------
FROM nvidia/cuda:${CUDA}-devel-ubuntu24.04 AS build-cuda
RUN apt-get update && apt-get install -y --no-install-recommends cmake git make g++ npm && rm -rf /var/lib/apt/lists/*
COPY --from=build-cpu /usr/local/go /usr/local/go
ENV PATH=/usr/local/go/bin:$PATH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY Makefile ./
COPY engine/llama/cgo.mk engine/llama/kernels.cmake engine/llama/*_linux.cpp engine/llama/*_linux.h engine/llama/
RUN make libllama LIBLLAMA=/opt/llama \
    LIBLLAMA_CMAKE="-DGGML_NATIVE=OFF -DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON -DGGML_BACKEND_DIR=/opt/llama/lib -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=all-major"
COPY . .
ARG VERSION=devel
RUN make build ENGINE=libllama LIBLLAMA=/opt/llama CPU=-mtune=generic VERSION=${VERSION}

FROM nvidia/cuda:${CUDA}-runtime-ubuntu24.04 AS cuda
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libgomp1 && rm -rf /var/lib/apt/lists/*
COPY --from=build-cuda /opt/llama/lib /opt/llama/lib
COPY --from=build-cuda /src/bin/tenon /usr/local/bin/tenon
COPY LICENSE README.md /usr/local/share/doc/tenon/
RUN mkdir -p /models && chown 65532:65532 /models
ENV TENON_HOST=0.0.0.0 TENON_MODELS=/models TENON_MODELS_DIR=/models XDG_CACHE_HOME=/models/.cache
VOLUME /models
EXPOSE 1234
USER 65532:65532
HEALTHCHECK --interval=10s --timeout=6s --start-period=120s CMD ["tenon", "health"]
ENTRYPOINT ["tenon"]
CMD ["serve"]

# ---- cpu, the default --------------------------------------------------------------------------------------------------
FROM debian:bookworm-slim AS cpu
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libgomp1 libstdc++6 && rm -rf /var/lib/apt/lists/*
COPY --from=build-cpu /opt/llama/lib /opt/llama/lib
COPY --from=build-cpu /src/bin/tenon /usr/local/bin/tenon
COPY LICENSE README.md /usr/local/share/doc/tenon/
RUN mkdir -p /models && chown 65532:65532 /models
# A public address needs TENON_API_KEY, --api-key-file or --insecure; without one of them the server does not start.
ENV TENON_HOST=0.0.0.0 TENON_MODELS=/models TENON_MODELS_DIR=/models XDG_CACHE_HOME=/models/.cache
VOLUME /models
EXPOSE 1234
USER 65532:65532
HEALTHCHECK --interval=10s --timeout=6s --start-period=120s CMD ["tenon", "health"]
ENTRYPOINT ["tenon"]
CMD ["serve"]
