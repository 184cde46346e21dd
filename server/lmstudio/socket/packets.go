package socket

import (
	"encoding/json"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/server/wire"
)

// fragment is a piece of an answer, as the packet of its name has it.
type fragment struct {
	Content    string  `json:"content"`
	Tokens     int     `json:"tokensCount"`
	Drafted    bool    `json:"containsDrafted"`
	Reasoning  string  `json:"reasoningType"`
	Structural bool    `json:"isStructural"`
	Each       []token `json:"tokens,omitempty"`
}

type token struct {
	Text       string   `json:"text"`
	ID         int32    `json:"id"`
	Logprob    *float32 `json:"logProb,omitempty"`
	Candidates []token  `json:"candidates,omitempty"`
}

// encodeStats writes a prediction's figures. What is not known is left out.
func encodeStats(s lmstudio.Stats) packet {
	p := packet{
		"stopReason": s.StopReason, "tokensPerSecond": s.TokensPerSecond, "totalTimeSec": s.Total.Seconds(),
		"promptTokensCount": s.Prompt, "predictedTokensCount": s.Predicted, "totalTokensCount": s.Prompt + s.Predicted,
	}
	if s.FirstToken > 0 {
		p["timeToFirstTokenSec"] = s.FirstToken.Seconds()
	}
	if s.StopString != "" {
		p["stopString"] = s.StopString
	}
	return p
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

// add sends the packets of an event. It is a chat.Sink: a reader that is gone ends the context.
func (p *prediction) add(e chat.Event) error {
	p.meter.Add(e)
	switch e.Kind {
	case chat.Started:
		p.start(e)
	case chat.Progress:
		p.progress(e.Progress)
	case chat.Finished:
	default:
		p.said = true
		p.opened(e)
		p.packet(e)
	}
	return nil
}

func (p *prediction) start(e chat.Event) {
	if e.Dropped > 0 {
		p.channel.conn.dropped(e.Model, e.Dropped)
	}
	p.channel.conn.ignored(e.Model, append(p.settings.request.Ignored, e.Ignored...))
	p.progress(engine.Progress{})
}

// progress tells how much of the prompt was read.
func (p *prediction) progress(e engine.Progress) {
	left, share := max(e.Total-e.Cached-e.Evaluated, 0), 0.0
	if e.Total > 0 {
		share = float64(e.Total-left) / float64(e.Total)
	}
	p.read = p.read || share == 1
	// the first is the sum of the others
	p.channel.progress("promptProcessingProgress", packet{"progress": share, "details": packet{
		"totalPromptTokenCount": e.Total, "cachedTokenCount": e.Cached, "processedPromptTokenCount": e.Evaluated, "unprocessedPromptTokenCount": left,
	}})
}

// opened sends what belongs before an event: that the prompt was read, and the tags around
// thinking.
func (p *prediction) opened(e chat.Event) {
	if !p.read {
		n := max(p.meter.Stats().Prompt, 1)
		p.progress(engine.Progress{Total: n, Evaluated: n})
	}
	switch {
	case e.Kind != chat.Reasoning:
		p.endThinking()
	case !p.thinking:
		p.thinking = true
		p.tag(p.settings.thinkingStart, reasoningStart)
	}
}

func (p *prediction) endThinking() {
	if p.thinking {
		p.thinking = false
		p.tag(p.settings.thinkingEnd, reasoningEnd)
	}
}

func (p *prediction) tag(text, kind string) {
	p.fragment(fragment{Content: text, Reasoning: kind, Structural: true})
}

func (p *prediction) fragment(f fragment) {
	p.channel.send("fragment", packet{"fragment": f})
}

// packet sends an event of the answer.
func (p *prediction) packet(e chat.Event) {
	send := p.channel.send
	switch e.Kind {
	case chat.Text:
		p.fragment(fragment{Content: e.Text, Tokens: e.Count, Reasoning: plainText, Each: encodeTokens(e.Tokens)})
	case chat.Reasoning:
		p.fragment(fragment{Content: e.Text, Tokens: e.Count, Reasoning: reasoning})
	case chat.CallStart:
		p.calling = true
		send("toolCallGenerationStart", packet{"toolCallId": e.Call.ID})
		send("toolCallGenerationNameReceived", packet{"name": e.Call.Name})
	case chat.CallArguments:
		send("toolCallGenerationArgumentFragmentGenerated", packet{"content": e.Text})
	case chat.CallEnd:
		p.calling = false
		arguments := e.Call.Arguments
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}") // an object, also where it is empty
		}
		send("toolCallGenerationEnd", packet{"toolCallRequest": packet{"id": e.Call.ID, "type": "function", "name": e.Call.Name, "arguments": arguments}})
	}
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
func (p *prediction) close() {
	p.failCall("the prediction was stopped before the call was complete")
	p.endThinking()
}

// failCall says of a call that has begun that it will not end, if there is one.
func (p *prediction) failCall(why string) {
	if !p.calling {
		return
	}
	p.calling = false
	// without a stack the SDK says that there is none
	e := wireError{Title: why, RootTitle: why, Stack: why}
	p.channel.send("toolCallGenerationFailed", packet{"error": e})
}
