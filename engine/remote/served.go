package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenon/engine"
	"tenon/engine/remote/chat"
	"tenon/grammar"
)

// served is a model as OpenAI's list of models has it, with what vLLM and SGLang add. It is a part
// of the APIs that have such a list, and what they have in common.
type served struct {
	*client
	id, root string
	context  int  // tokens
	unlisted bool // the list of models does not have its name
}

// modelList is the answer of /v1/models.
type modelList struct {
	Data []listed `json:"data"`
}

type listed struct {
	ID      string `json:"id"`
	Root    string `json:"root"`
	Owner   string `json:"owned_by"`
	Context int    `json:"max_model_len"`
	Input   int    `json:"max_input_tokens"` // Anthropic's
}

// slots is how many turns run at once where an upstream does not tell: what vLLM takes unless it
// is told otherwise.
const slots = 256

// describe asks whether the model is still served.
func (s served) describe(ctx context.Context) (m engine.Model, err error) {
	var all modelList
	if err := s.call(ctx, "/v1/models", nil, &all); err != nil && !(s.unlisted && errors.Is(err, errRefused)) {
		return m, err
	}
	if !s.unlisted && !slices.ContainsFunc(all.Data, func(one listed) bool { return one.ID == s.id && one.Root == s.root }) {
		return m, fmt.Errorf("%w in place of %q", errOther, cmp.Or(s.root, s.id))
	}
	return engine.Model{
		Description: cmp.Or(s.root, s.id), Context: s.context, ContextTrained: s.context, Slots: slots,
		Can: engine.Can{Tokenizer: engine.NoTokenizer, Mask: engine.NoMask},
	}, nil
}

// target implements api.
func (s served) target() grammar.Target { return grammar.XGrammar }

// cut implements api.
func (s served) cut(ctx context.Context, text string) ([]int32, error) {
	var out struct {
		Tokens []int32 `json:"tokens"`
	}
	err := s.call(ctx, "/tokenize", map[string]any{"model": s.id, "prompt": text, "add_special_tokens": false}, &out)
	return out.Tokens, err
}

// room is how many tokens an answer may have: these servers end one after a few tokens if nothing
// is said, and refuse more than fits. Of a text the tokens are not known; most have more bytes.
func (s served) room(t turn) int {
	left := s.context - len(t.ids)
	if t.ids == nil {
		left = s.context - len(t.Prompt.String())/3
	}
	if t.Budget.Tokens > 0 {
		left = min(left, t.Budget.Tokens)
	}
	return max(left, 1)
}

// moreSampling are the fields of engine.SamplingFields that vLLM and SGLang know.
const moreSampling = chat.OpenAISampling + ",top_k,min_p,repeat_penalty"

// sampling writes what is set of the fields that an API knows. What is unset the upstream takes
// from the model's generation_config.json.
func sampling(body map[string]any, s engine.Sampling, known string) {
	for _, f := range engine.SamplingFields {
		v, set := f.Get(s)
		switch {
		case !set || !slices.Contains(strings.Split(known, ","), f.Key):
			continue
		case f.Key == "top_k" && v <= 0: // all tokens
			if v = -1; known == chat.Messages.Sampling {
				v = 0
			}
		case f.Key == "top_p" && v == 0:
			v = 1e-6 // the likeliest alone
		}
		body[cmp.Or(renamed[f.Key], f.Key)] = v
	}
}

// renamed are the fields with another name there.
var renamed = map[string]string{"repeat_penalty": "repetition_penalty"}

// biases of single tokens. An infinite one has no number in JSON, and 100 is the most that counts.
func biases(s engine.Sampling) map[string]float32 {
	if len(s.LogitBias) == 0 {
		return nil
	}
	out := map[string]float32{}
	for id, v := range s.LogitBias {
		out[strconv.Itoa(int(id))] = min(max(v, -100), 100)
	}
	return out
}

// salt parts the upstream's cache: callers with another key share nothing, and what is to be
// forgotten nobody finds again. The key itself stays here.
func (t turn) salt() string {
	if t.Forget {
		return rand.Text()
	}
	sum := sha256.Sum256([]byte("tenon cache\x00" + t.CacheKey))
	return hex.EncodeToString(sum[:16])
}
