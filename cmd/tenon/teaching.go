package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenon/cmd/config"
	"tenon/server/chat"
	"tenon/templates/schema"
	"tenon/tools"
)

// teaching is how models are helped with their tools that have no adapter of their own.
func teaching(s config.Settings) (chat.Teaching, error) {
	simplify, err := simplification(s.SimplifyTools)
	if err != nil {
		return chat.Teaching{}, fmt.Errorf("simplify-tools: %w", err)
	}
	return chat.Teaching{Simplify: simplify, Guidance: s.ToolGuidance, Routing: s.RoutingThought}, nil
}

// checkFormat tells whether a way of calling tools is known, before a model is loaded for it.
func checkFormat(name string) error {
	known := []string{"", "auto", "native", "json", "react", "xml"}
	for _, d := range tools.Families() {
		known = append(known, d.Name())
	}
	if _, family := tools.Lookup(name); family || slices.Contains(known, strings.ToLower(name)) {
		return nil
	}
	return fmt.Errorf("%q is no format%s; expected auto, json, react, xml (deprecated) or a family that 'tenon families' lists", name, config.DidYouMean(name, known))
}

// simplification reads options, several in one text or in several.
func simplification(options []string) (s schema.Simplification, err error) {
	if len(options) == 0 {
		return s, nil
	}
	for option := range strings.SplitSeq(strings.Join(options, ","), ",") {
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
