package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vendors says which family each published template is.
var vendors = map[string]string{
	"Apertus-8B-Instruct": "apertus", "ByteDance-Seed-OSS": "seed-oss", "Cohere2MoE": "command-r7b",
	"CohereForAI-c4ai-command-r-plus-tool_use": "command-r-plus", "CohereForAI-c4ai-command-r7b-12-2024-tool_use": "command-r7b",
	"GLM-4.6": "glm-4.5", "GigaChat3-10B-A1.8B": "gigachat3", "HuggingFaceTB-SmolLM3-3B": "smollm3", "Kimi-K2-Instruct": "kimi-k2",
	"LFM2-8B-A1B": "lfm2", "LFM2.5-8B-A1B": "lfm2.5", "MiMo-VL": "qwen", "MiniMax-M1": "minimax-m1", "MiniMax-M2": "minimax-m2",
	"Mistral-Small-3.2-24B-Instruct-2506": "mistral-small", "NVIDIA-Nemotron-Nano-v2": "nemotron-v2",
	"NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use": "hermes", "NousResearch-Hermes-3-Llama-3.1-8B-tool_use": "hermes",
	"Qwen-QwQ-32B": "qwen", "Qwen-Qwen2.5-7B-Instruct": "qwen", "Qwen-Qwen3-0.6B": "qwen", "Qwen3-Coder": "qwen3-coder",
	"Qwen3.5-4B": "qwen3.5", "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": "deepseek-v3", "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "deepseek-v3",
	"deepseek-ai-DeepSeek-V3.1": "deepseek-v3.1", "deepseek-ai-DeepSeek-V3.2": "deepseek-v3.2", "deepseek-ai-DeepSeek-V4": "deepseek-v4",
	"fireworks-ai-llama-3-firefunction-v2": "firefunction-v2", "google-gemma-2-2b-it": "gemma", "google-gemma-4-31B-it": "gemma4",
	"google-gemma-4-31B-it-interleaved": "gemma4", "ibm-granite-granite-3.3-2B-Instruct": "granite3", "ibm-granite-granite-4.0": "granite4",
	"llama-cpp-deepseek-r1": "deepseek-v3", "llama-cpp-rwkv-world": "rwkv", "meetkai-functionary-medium-v3.1": "functionary-v3.1",
	"meetkai-functionary-medium-v3.2": "functionary-v3.2", "meta-llama-Llama-3.1-8B-Instruct": "llama3", "meta-llama-Llama-3.3-70B-Instruct": "llama3",
	"microsoft-Phi-3.5-mini-instruct": "phi", "mistralai-Ministral-3-14B-Reasoning-2512": "devstral", "mistralai-Mistral-Nemo-Instruct-2407": "mistral",
	"moonshotai-Kimi-K2": "kimi-k2", "openai-gpt-oss-120b": "gpt-oss", "openbmb-MiniCPM5-1B": "minicpm5", "poolside-Laguna-S-2.1": "laguna",
	"poolside-Laguna-XS.2": "laguna", "unsloth-Apriel-1.5": "apriel", "unsloth-mistral-Devstral-Small-2507": "devstral",
}

func TestDetect_publishedTemplates(t *testing.T) {
	paths, _ := filepath.Glob("../../shared/data/templates/*.jinja")
	if len(paths) == 0 {
		t.Skip("../../shared/data/templates is absent")
	}
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d := Detect(Evidence{Template: string(source)})
		name := strings.TrimSuffix(filepath.Base(path), ".jinja")
		if want := vendors[name]; d.Name() != want {
			t.Errorf("%s is %s, want %s", name, d.Name(), want)
		}
	}
}

func TestLookup_namesOfAnyCaseAndOlderOnes(t *testing.T) {
	for name, want := range map[string]string{"react": "react", "JSON": "json", "Hermes": "hermes", "glm45": "glm-4.5"} {
		if d, ok := Lookup(name); !ok || d.Name() != want {
			t.Errorf("%q: %v; want %s", name, d, want)
		}
	}
	for _, name := range []string{"klingon", "auto", ""} {
		if _, ok := Lookup(name); ok {
			t.Errorf("%q is known", name)
		}
	}
}
