package socket

import (
	"encoding/json"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/server/wire"
	"tenon/tools"
)

// The packets of a prediction.
type (
	promptPacket struct {
		Type     string        `json:"type"` // "promptProcessingProgress"
		Progress float64       `json:"progress"`
		Details  promptDetails `json:"details"`
	}
	promptDetails struct { // the first is the sum of the others
		Total       int `json:"totalPromptTokenCount"`
		Cached      int `json:"cachedTokenCount"`
		Processed   int `json:"processedPromptTokenCount"`
		Unprocessed int `json:"unprocessedPromptTokenCount"`
	}
	fragmentPacket struct {
		Type     string   `json:"type"` // "fragment"
		Fragment fragment `json:"fragment"`
	}
	fragment struct {
		Content    string  `json:"content"`
		Tokens     int     `json:"tokensCount"`
		Drafted    bool    `json:"containsDrafted"`
		Reasoning  string  `json:"reasoningType"`
		Structural bool    `json:"isStructural"`
		Each       []token `json:"tokens,omitempty"`
	}
	token struct {
		Text       string   `json:"text"`
		ID         int32    `json:"id"`
		Logprob    *float32 `json:"logProb,omitempty"`
		Candidates []token  `json:"candidates,omitempty"`
	}
	callStartPacket struct {
		Type string `json:"type"` // "toolCallGenerationStart"
		ID   string `json:"toolCallId,omitempty"`
	}
	callNamePacket struct {
		Type string `json:"type"` // "toolCallGenerationNameReceived"
		Name string `json:"name"`
	}
	callPiecePacket struct {
		Type    string `json:"type"` // "toolCallGenerationArgumentFragmentGenerated"
		Content string `json:"content"`
	}
	callEndPacket struct {
		Type    string      `json:"type"` // "toolCallGenerationEnd"
		Request callRequest `json:"toolCallRequest"`
	}
	callRequest struct {
		ID        string          `json:"id"`
		Type      string          `json:"type"` // "function"
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // an object, also where it is empty
	}
	callFailedPacket struct {
		Type  string    `json:"type"` // "toolCallGenerationFailed"
		Error wireError `json:"error"`
	}
	successPacket struct {
		Type       string       `json:"type"` // "success"
		Stats      stats        `json:"stats"`
		Model      instanceInfo `json:"modelInfo"`
		Load       kvConfig     `json:"loadModelConfig"`
		Prediction kvConfig     `json:"predictionConfig"`
	}
)

// stats are a prediction's figures. What is not known is left out.
type stats struct {
	StopReason      string  `json:"stopReason"`
	StopString      string  `json:"stopString,omitempty"`
	TokensPerSecond float64 `json:"tokensPerSecond"`
	FirstToken      float64 `json:"timeToFirstTokenSec,omitempty"`
	Total           float64 `json:"totalTimeSec"`
	Prompt          int     `json:"promptTokensCount"`
	Predicted       int     `json:"predictedTokensCount"`
	TotalTokens     int     `json:"totalTokensCount"`
}

func encodeStats(s lmstudio.Stats) stats {
	return stats{
		StopReason: s.StopReason, StopString: s.StopString, TokensPerSecond: s.TokensPerSecond, FirstToken: s.FirstToken.Seconds(),
		Total: s.Total.Seconds(), Prompt: s.Prompt, Predicted: s.Predicted, TotalTokens: s.Prompt + s.Predicted,
	}
}

// The kinds of a fragment.
const (
	plainText      = "none"
	reasoning      = "reasoning"
	reasoningStart = "reasoningStartTag"
	reasoningEnd   = "reasoningEndTag"
)

// prediction turns events into packets.
//
// The text of a call is never sent as a fragment: SDKs join all fragments into the next assistant
// message. Thinking is, between tags that are marked as structure, so that the reader of the
// history can take it out again.
type prediction struct {
	channel  *channel
	settings *predictionSettings
	meter    *lmstudio.Meter

	read     bool // the prompt has been told as read
	said     bool // something of the answer has left
	thinking bool // the start tag has been sent, the end tag has not
	calling  bool // a call has begun and not ended
}

// add sends the packets of an event. It is a chat.Sink.
func (p *prediction) add(e chat.Event) error {
	p.meter.Add(e)
	switch e.Kind {
	case chat.Started:
		return p.start(e)
	case chat.Progress:
		return p.progress(e.Progress)
	case chat.Finished:
		return nil
	}
	p.said = true
	for _, step := range []func(chat.Event) error{p.opened, p.packet} {
		if err := step(e); err != nil {
			return err
		}
	}
	return nil
}

func (p *prediction) start(e chat.Event) error {
	if e.Dropped > 0 {
		p.channel.conn.dropped(e.Model, e.Dropped)
	}
	if all := append(p.settings.request.Ignored, e.Ignored...); len(all) > 0 {
		p.channel.conn.ignored(e.Model, all)
	}
	return p.progress(engine.Progress{})
}

// progress tells how much of the prompt was read.
func (p *prediction) progress(e engine.Progress) error {
	packet := promptPacket{Type: "promptProcessingProgress", Details: promptDetails{
		Total: e.Total, Cached: e.Cached, Processed: e.Evaluated, Unprocessed: max(e.Total-e.Cached-e.Evaluated, 0),
	}}
	if e.Total > 0 {
		packet.Progress = float64(e.Total-packet.Details.Unprocessed) / float64(e.Total)
	}
	p.read = p.read || packet.Progress == 1
	return p.channel.progress(packet)
}

// opened sends what belongs before an event: that the prompt was read, and the tags around
// thinking.
func (p *prediction) opened(e chat.Event) error {
	if !p.read {
		n := p.meter.Stats().Prompt
		if err := p.progress(engine.Progress{Total: max(n, 1), Evaluated: max(n, 1)}); err != nil {
			return err
		}
	}
	if e.Kind != chat.Reasoning {
		return p.endThinking()
	}
	if p.thinking {
		return nil
	}
	p.thinking = true
	return p.tag(p.settings.thinkingStart, reasoningStart)
}

func (p *prediction) endThinking() error {
	if !p.thinking {
		return nil
	}
	p.thinking = false
	return p.tag(p.settings.thinkingEnd, reasoningEnd)
}

func (p *prediction) tag(text, kind string) error {
	return p.channel.send(fragmentPacket{"fragment", fragment{Content: text, Reasoning: kind, Structural: true}})
}

// packet sends an event of the answer.
func (p *prediction) packet(e chat.Event) error {
	send := p.channel.send
	switch e.Kind {
	case chat.Text:
		return send(fragmentPacket{"fragment", fragment{Content: e.Text, Tokens: e.Count, Reasoning: plainText, Each: encodeTokens(e.Tokens)}})
	case chat.Reasoning:
		return send(fragmentPacket{"fragment", fragment{Content: e.Text, Tokens: e.Count, Reasoning: reasoning}})
	case chat.CallStart:
		p.calling = true
		if err := send(callStartPacket{"toolCallGenerationStart", e.Call.ID}); err != nil {
			return err
		}
		return send(callNamePacket{"toolCallGenerationNameReceived", e.Call.Name})
	case chat.CallArguments:
		return send(callPiecePacket{"toolCallGenerationArgumentFragmentGenerated", e.Text})
	case chat.CallEnd:
		p.calling = false
		return send(callEndPacket{"toolCallGenerationEnd", encodeCall(e.Call)})
	}
	return nil
}

func encodeCall(c tools.Call) callRequest {
	arguments := c.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	return callRequest{ID: c.ID, Type: "function", Name: c.Name, Arguments: arguments}
}

func encodeTokens(in []engine.Token) []token {
	var out []token
	for i, p := range wire.EncodeLogprobs(in) {
		one := token{Text: p.Token, ID: in[i].ID, Logprob: &p.Logprob}
		for j, other := range p.Top {
			one.Candidates = append(one.Candidates, token{Text: other.Token, ID: in[i].Top[j].ID, Logprob: &other.Logprob})
		}
		out = append(out, one)
	}
	return out
}

// close sends what an answer needs at its end.
func (p *prediction) close() error {
	if p.calling { // the prediction was stopped inside of it
		p.failCall("the prediction was stopped before the call was complete")
	}
	return p.endThinking()
}

// fail says of a call that has begun that it will not end. The error of the prediction itself
// follows.
func (p *prediction) fail(err error) {
	if p.calling {
		p.failCall(chat.AsError(err).Error())
	}
}

func (p *prediction) failCall(why string) {
	p.calling = false
	e := wireError{Title: why, RootTitle: why, Stack: why}              // without a stack the SDK says that there is none
	_ = p.channel.send(callFailedPacket{"toolCallGenerationFailed", e}) // what follows meets the same error
}
