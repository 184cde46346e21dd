package socket

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/templates"
)

// predictParameter is what predict and completeRawText take.
type predictParameter struct {
	Model     specifier `json:"modelSpecifier"`
	History   history   `json:"history"`
	RawPrompt string    `json:"rawPrompt"`
	Stack     kvStack   `json:"predictionConfigStack"`
	Preset    string    `json:"fuzzyPresetIdentifier"`
}

// predict answers a conversation: respond, each round of act, and complete of older SDKs.
func predict(ch *channel, p predictParameter) error {
	if p.Stack.has(rawLayer) {
		p.RawPrompt = p.History.plain()
		return completeRawText(ch, p)
	}
	i, s, err := ch.prepare(p)
	if err != nil {
		return err
	}
	if err := ch.conn.converse(p.History, s); err != nil {
		return err
	}
	return ch.run(i, s, "llm/predict")
}

// completeRawText continues a text as it is.
func completeRawText(ch *channel, p predictParameter) error {
	i, s, err := ch.prepare(p)
	if err != nil {
		return err
	}
	s.request.Prompt = engine.Plain(p.RawPrompt)
	return ch.run(i, s, "llm/completeRawText")
}

// prepare finds the model and reads the settings.
func (ch *channel) prepare(p predictParameter) (lmstudio.Instance, *predictionSettings, error) {
	i, err := ch.conn.find(ch.ctx, p.Model)
	if err != nil {
		return i, nil, err
	}
	if p.Preset != "" {
		return i, nil, noPreset(p.Preset)
	}
	r := &chat.Request{Model: i.ID, CacheKey: chat.CallerKey(ch.ctx)}
	s, err := decodePrediction(p.Stack, r)
	return i, s, err
}

// converse gives a request its conversation.
func (c *conn) converse(h history, s *predictionSettings) (err error) {
	files := reader{file: c.file, start: s.thinkingStart, end: s.thinkingEnd}
	messages, err := files.decode(h)
	if err != nil {
		return err
	}
	if s.systemPrompt != "" && messages[0].Role != templates.System {
		messages = append([]templates.Message{{Role: templates.System, Text: s.systemPrompt}}, messages...)
	}
	s.request.Conversation.Messages = messages
	return nil
}

// run generates, and ends the channel's packets with a success, or returns why there is none.
func (ch *channel) run(i lmstudio.Instance, s *predictionSettings, endpoint string) error {
	server := ch.conn.server
	ctx, done := server.Watch(ch.ctx, endpoint)
	defer done()
	p := &prediction{channel: ch, settings: s, meter: lmstudio.NewMeter()}
	err := server.Service.Run(ctx, *s.request, p.add)
	switch {
	case err == nil:
	case ch.stopped():
		p.meter.End(lmstudio.UserStopped)
	case errors.Is(err, engine.ErrClosed) && p.said:
		p.meter.End(lmstudio.ModelUnloaded)
	default:
		p.failCall(chat.AsError(err).Error()) // the error of the prediction itself follows
		ch.quiet()
		return err
	}
	p.close()
	ch.quiet()
	ch.send("success", packet{
		"stats": encodeStats(p.meter.Stats()), "modelInfo": describeInstance(i), "loadModelConfig": loadConfig(i), "predictionConfig": toldConfig(i, s.used),
	})
	return nil
}

// dropped says of a conversation that was too long what was left out: no packet has a place for
// it.
func (c *conn) dropped(model string, n int) {
	text := fmt.Sprintf("the oldest %d messages of a conversation were left out, so that it fits the context of %s", n, model)
	slog.Warn(text)
	c.server.Logs.server(slog.LevelWarn, text)
}

// ignored says which settings had no effect.
func (c *conn) ignored(model string, keys []string) {
	if len(keys) == 0 {
		return
	}
	c.server.Logs.server(slog.LevelInfo, "settings without effect for "+model+": "+strings.Join(keys, ", "))
}

type templateParameter struct {
	Specifier specifier `json:"specifier"`
	History   history   `json:"history"`
	Stack     kvStack   `json:"predictionConfigStack"`
	Options   struct {
		OmitBOS bool      `json:"omitBosToken"`
		OmitEOS bool      `json:"omitEosToken"`
		Tools   []sdkTool `json:"toolDefinitions"`
	} `json:"opts"`
}

// applyPromptTemplate answers the prompt of a conversation.
func applyPromptTemplate(ctx context.Context, c *conn, p templateParameter) (any, error) {
	i, err := c.find(ctx, p.Specifier)
	if err != nil {
		return nil, err
	}
	s, err := decodePrediction(p.Stack, &chat.Request{Model: i.ID})
	if err != nil {
		return nil, err
	}
	if len(p.Options.Tools) > 0 {
		if s.request.Tools, s.request.Places.Tools, err = decodeTools(p.Options.Tools, "opts.toolDefinitions"); err != nil {
			return nil, err
		}
	}
	if err := c.converse(p.History, s); err != nil {
		return nil, err
	}
	text, err := c.server.Service.Render(ctx, *s.request)
	if err != nil {
		return nil, err
	}
	if p.Options.OmitBOS {
		text = strings.TrimPrefix(text, i.Instance.Model.Vocab.BOS)
	}
	if p.Options.OmitEOS {
		text = strings.TrimSuffix(text, i.Instance.Model.Vocab.EOS)
	}
	return packet{"formatted": text}, nil
}
