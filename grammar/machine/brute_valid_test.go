package machine

import (
	"reflect"
	"regexp"
	"slices"
)

// valid says whether a value that was put together counts: its parts do.
func valid(s map[string]any, val any) bool {
	switch x := val.(type) {
	case map[string]any:
		return validObject(s, x)
	case []any:
		return validArray(s, x)
	case string:
		if s["type"] == "string" {
			return len(x) >= bound(s, "minLength", 0) && len(x) <= bound(s, "maxLength", 9) && regexp.MustCompile(s["pattern"].(string)).MatchString(x)
		}
	}
	return true
}

func validObject(s map[string]any, x map[string]any) bool {
	if len(x) < bound(s, "minProperties", 0) || len(x) > bound(s, "maxProperties", 9) || !hasAll(x, s["required"]) {
		return false
	}
	if deps, ok := s["dependentRequired"].(map[string]any); ok {
		for key, needs := range deps {
			if _, has := x[key]; has && !hasAll(x, needs) {
				return false
			}
		}
	}
	if not, ok := s["not"].(map[string]any); ok {
		only := not["additionalProperties"].(map[string]any)["enum"].([]any)
		for _, v := range x {
			if !slices.ContainsFunc(only, func(o any) bool { return reflect.DeepEqual(o, v) }) {
				return true
			}
		}
		return false
	}
	return true
}

func hasAll(x map[string]any, keys any) bool {
	list, _ := keys.([]any)
	return !slices.ContainsFunc(list, func(key any) bool { _, has := x[key.(string)]; return !has })
}

func validArray(s map[string]any, x []any) bool {
	if len(x) < bound(s, "minItems", 0) {
		return false
	}
	if s["uniqueItems"] == true {
		for i := range x {
			if slices.ContainsFunc(x[:i], func(o any) bool { return reflect.DeepEqual(o, x[i]) }) {
				return false
			}
		}
	}
	contained, ok := s["contains"].(map[string]any)
	if !ok {
		return true
	}
	n := 0
	for _, v := range x {
		if slices.ContainsFunc(contained["enum"].([]any), func(o any) bool { return reflect.DeepEqual(o, v) }) {
			n++
		}
	}
	return n >= bound(s, "minContains", 1) && n <= bound(s, "maxContains", 9)
}
