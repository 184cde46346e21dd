package remote

import (
	"fmt"
	"net/url"
	"strconv"
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

// The APIs. OpenAI is any other server's text completions.
const (
	LlamaServer API = "llama-server"
	VLLM        API = "vllm"
	SGLang      API = "sglang"
	OpenAI      API = "openai"
)

// ParseAddress reads an address.
func ParseAddress(text string) (a Address, err error) {
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" {
		return a, fmt.Errorf("upstream %q: expected http://host:port or https://host:port, with #weight=2 for a weight", text)
	}
	a = Address{Base: base, Weight: 1}
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
			switch a.API = API(value); a.API {
			case LlamaServer, VLLM, SGLang, OpenAI:
			default:
				return a, fmt.Errorf("upstream %q: there is no api %q; there are %s, %s, %s and %s", text, value, LlamaServer, VLLM, SGLang, OpenAI)
			}
		case "model":
			a.Model = value
		default:
			return a, fmt.Errorf("upstream %q: expected weight, api or model behind #, not %q", text, name)
		}
	}
	return a, nil
}
