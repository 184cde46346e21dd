package remote

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Address is where an upstream is, and what is said of it: http://host:port#weight=2&api=vllm.
type Address struct {
	Base   *url.URL
	Weight float64 // of two upstreams, one with twice the weight takes twice as many tokens
	API    API     // "": it is found out
	Model  string  // of several that are served there; "": the first
}

// same tells whether two addresses are of one upstream, spoken to in one way.
func (a Address) same(b Address) bool {
	return a.Base.String() == b.Base.String() && a.API == b.API && a.Model == b.Model
}

// API is how an upstream is spoken to.
type API string

// The APIs. OpenAI is any other server's text completions, Chat its chat completions. Messages is
// Anthropic's: it is spoken where that is the host, or an address says so.
const (
	LlamaServer API = "llama-server"
	VLLM        API = "vllm"
	SGLang      API = "sglang"
	OpenAI      API = "openai"
	Chat        API = "chat"
	Messages    API = "messages"
)

var apis = []API{LlamaServer, VLLM, SGLang, OpenAI, Chat, Messages}

// ParseAddress reads an address.
func ParseAddress(text string) (a Address, err error) {
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" {
		return a, fmt.Errorf("upstream %q: expected http://host:port or https://host:port, with #weight=2 for a weight", text)
	}
	a = Address{Base: base, Weight: 1}
	if strings.HasSuffix(base.Hostname(), ".anthropic.com") {
		a.API = Messages
	}
	// as SDKs want a base: each path here begins with it
	base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/v1")
	said, err := url.ParseQuery(base.EscapedFragment())
	if err != nil {
		return a, fmt.Errorf("upstream %q: expected name=value behind #, and & between them", text)
	}
	base.Fragment, base.RawFragment = "", ""
	for name, values := range said {
		value := values[0]
		switch name {
		case "weight":
			a.Weight, err = strconv.ParseFloat(value, 64)
			if err != nil || !(a.Weight > 0 && a.Weight <= 1000) {
				return a, fmt.Errorf("upstream %q: expected a weight above 0, at most 1000", text)
			}
		case "api":
			if a.API = API(value); !slices.Contains(apis, a.API) {
				return a, fmt.Errorf("upstream %q: there is no api %q; there are %v, and & comes between values", text, value, apis)
			}
		case "model":
			a.Model = value
		default:
			return a, fmt.Errorf("upstream %q: expected weight, api or model behind #, not %q", text, name)
		}
	}
	return a, nil
}
