package main

import (
	"fmt"
	"strconv"
	"strings"

	"tenon/server/chat"
	"tenon/templates/schema"
)

// teaching reads how models are helped with their tools: which of them get guidance, what is simplified for which, and which say first
// what they are about to call. The model "" is every model that is not named.
func teaching(guided, simplified, routed []string) (map[string]chat.Teaching, error) {
	all := map[string]chat.Teaching{}
	for _, spec := range simplified {
		model, list, named := strings.Cut(spec, "=")
		if !named {
			model, list = "", spec
		}
		s, err := simplification(list)
		if err != nil {
			return nil, fmt.Errorf("simplify-tools %q: %w", spec, err)
		}
		all[model] = chat.Teaching{Simplify: s}
	}
	for _, model := range guided {
		if model == "all" {
			model = ""
		}
		t, named := all[model]
		if !named {
			t = all[""]
		}
		t.Guidance = true
		all[model] = t
	}
	if all[""].Guidance {
		for model, t := range all {
			t.Guidance = true
			all[model] = t
		}
	}
	return all, route(all, routed)
}

// route gives models their routing thoughts: a model's own, else that of all.
func route(all map[string]chat.Teaching, specs []string) error {
	tokens := map[string]int{}
	for _, spec := range specs {
		model, number, named := strings.Cut(spec, "=")
		if !named {
			model, number = "", spec
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return fmt.Errorf("routing-thought %q: expected a number of tokens, or MODEL=NUMBER", spec)
		}
		tokens[model] = n
		if _, known := all[model]; !known {
			all[model] = all[""]
		}
	}
	for model, t := range all {
		n, own := tokens[model]
		if !own {
			n = tokens[""]
		}
		t.Routing = n
		all[model] = t
	}
	return nil
}

// toolFormats reads how models call tools, by model; that of "" is for all that are not named. Whether there is such a
// format is found out when the model is loaded, whose families may be its own.
func toolFormats(list []string) map[string]string {
	formats := map[string]string{}
	for _, spec := range list {
		model, format, named := strings.Cut(spec, "=")
		if !named {
			model, format = "", spec
		}
		formats[model] = format
	}
	return formats
}

func simplification(list string) (s schema.Simplification, err error) {
	for option := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(option), ":")
		switch name {
		case "required-only":
			s.RequiredOnly = true
		case "keep":
			s.RequiredOnly, s.Keep = true, append(s.Keep, value)
		case "enum-text":
			s.EnumText = true
		case "hide-others":
			s.HideOthers = true
		case "flatten":
			s.Flatten = true
		case "describe":
			if s.MaxDescription, err = strconv.Atoi(value); err != nil || s.MaxDescription < 1 {
				return s, fmt.Errorf("describe:%s: expected a number of characters", value)
			}
		default:
			return s, fmt.Errorf("%q: expected required-only, keep:NAME, describe:N, enum-text, hide-others or flatten", option)
		}
	}
	return s, nil
}
