package wire

import (
	"time"

	"tenon/server/chat"
)

// Timings is what timings_per_token adds to an answer, with llama-server's names and units.
type Timings struct {
	CacheN             int     `json:"cache_n"`
	PromptN            int     `json:"prompt_n"`
	PromptMS           float64 `json:"prompt_ms"`
	PromptPerSecond    float64 `json:"prompt_per_second"`
	PredictedN         int     `json:"predicted_n"`
	PredictedMS        float64 `json:"predicted_ms"`
	PredictedPerSecond float64 `json:"predicted_per_second"`

	// where the prompt leaves what was cached, and who wrote it
	CacheMiss *chat.Miss `json:"cache_miss,omitempty"`
}

// Extra is what LM Studio's REST API v0 adds to OpenAI's answers.
type Extra struct {
	Stats   any `json:"stats,omitempty"`
	Model   any `json:"model_info,omitempty"`
	Runtime any `json:"runtime,omitempty"`
}

// EncodeTimings tells how long a choice took.
func EncodeTimings(f chat.Finish) *Timings {
	evaluated := f.Usage.Prompt - f.Usage.Cached
	return &Timings{
		CacheN: f.Usage.Cached, PromptN: evaluated, PredictedN: f.Usage.Completion,
		PromptMS: milliseconds(f.Timing.Prompt), PromptPerSecond: perSecond(evaluated, f.Timing.Prompt),
		PredictedMS: milliseconds(f.Timing.Decode), PredictedPerSecond: perSecond(f.Usage.Completion, f.Timing.Decode),
		CacheMiss: f.Miss,
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func perSecond(n int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
