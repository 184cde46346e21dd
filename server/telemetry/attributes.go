package telemetry

import (
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"tenon/server/chat"
	"tenon/server/chat/record"
)

// system is what tenon is called as a provider of models.
const system = "tenon"

// operation is what a turn does, in OpenTelemetry's words.
func operation(r chat.Request) string {
	if len(r.Prompt) > 0 {
		return "text_completion"
	}
	return "chat"
}

// requested is what is known of a turn before it runs.
func requested(r chat.Request) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", operation(r)), attribute.String("gen_ai.request.model", r.Model),
		// the name before 1.37
		attribute.String("gen_ai.provider.name", system), attribute.String("gen_ai.system", system),
		attribute.String("openinference.span.kind", "LLM"), attribute.String("llm.system", system),
	}
	if r.MaxTokens > 0 {
		all = append(all, attribute.Int("gen_ai.request.max_tokens", r.MaxTokens))
	}
	if r.N > 1 {
		all = append(all, attribute.Int("gen_ai.request.choice.count", r.N))
	}
	s := r.Sampling
	if s.TopK != nil {
		all = append(all, attribute.Int("gen_ai.request.top_k", *s.TopK))
	}
	if s.Seed != nil {
		all = append(all, attribute.Int64("gen_ai.request.seed", int64(*s.Seed)))
	}
	for _, f := range []struct {
		name  string
		value *float32
	}{
		{"temperature", s.Temperature}, {"top_p", s.TopP},
		{"presence_penalty", s.PresencePenalty}, {"frequency_penalty", s.FrequencyPenalty},
	} {
		if f.value != nil {
			all = append(all, attribute.Float64("gen_ai.request."+f.name, float64(*f.value)))
		}
	}
	return all
}

// outcome is what a turn came to.
func outcome(o *record.Outcome) []attribute.KeyValue {
	u := o.Usage()
	all := []attribute.KeyValue{
		attribute.Int("gen_ai.usage.input_tokens", u.Prompt), attribute.Int("gen_ai.usage.output_tokens", u.Completion),
		attribute.Int("gen_ai.usage.cache_read.input_tokens", u.Cached), attribute.Int("gen_ai.usage.reasoning.output_tokens", u.Reasoning),
		attribute.Int("llm.token_count.prompt", u.Prompt), attribute.Int("llm.token_count.completion", u.Completion),
		attribute.Int("llm.token_count.total", u.Prompt+u.Completion), attribute.Int("llm.token_count.prompt_details.cache_read", u.Cached),
		attribute.Int("llm.token_count.completion_details.reasoning", u.Reasoning),
		attribute.Int("tenon.retries", o.Retries), attribute.Int("tenon.rewinds", o.Rewinds), seconds("tenon.planning.seconds", o.Planning),
	}
	if o.Model != "" {
		all = append(all, attribute.String("gen_ai.response.model", o.Model), attribute.String("llm.model_name", o.Model))
	}
	if o.FirstToken > 0 {
		all = append(all, seconds("gen_ai.response.time_to_first_chunk", o.FirstToken))
	}
	if len(o.Finishes) > 0 {
		reasons := make([]string, len(o.Finishes))
		for i, f := range o.Finishes {
			reasons[i] = string(f.Reason)
		}
		first := o.Finishes[0].Timing // of the choice that ended first, as in a record
		all = append(all, attribute.StringSlice("gen_ai.response.finish_reasons", reasons),
			seconds("tenon.queue.seconds", first.Queue), seconds("tenon.prompt.seconds", first.Prompt), seconds("tenon.output.seconds", first.Decode))
	}
	for i, c := range o.Calls {
		at := fmt.Sprintf("llm.output_messages.0.message.tool_calls.%d.tool_call.", i)
		all = append(all, attribute.String(at+"id", c.ID), attribute.String(at+"function.name", c.Name))
	}
	return all
}

func seconds(name string, d time.Duration) attribute.KeyValue {
	return attribute.Float64(name, d.Seconds())
}
