package agent

import (
	"encoding/json"

	"tenon/tools"
	"tenon/tools/conform"
	"tenon/tools/ordered"
)

// withDefaults adds the arguments that a call leaves out and the schema has a default for, in
// objects inside of it too. Where that does not fit the schema the arguments stay as they are.
func withDefaults(arguments, schema json.RawMessage) json.RawMessage {
	object, _ := tools.Arguments(schema)
	filled := fill(arguments, object)
	if conform.Compile(object).Validate(filled) != nil {
		return arguments
	}
	return filled
}

func fill(value, schema json.RawMessage) json.RawMessage {
	properties, _ := ordered.Members(schema).First("properties")
	if len(properties) == 0 || len(value) == 0 || value[0] != '{' {
		return value
	}
	members := ordered.Members(value)
	for _, p := range ordered.Members(properties) {
		at := -1
		for i, m := range members {
			if m.Key == p.Key {
				at = i
			}
		}
		if at >= 0 {
			members[at].Value = fill(members[at].Value, p.Value)
		} else if d, ok := ordered.Members(p.Value).First("default"); ok {
			members = append(members, ordered.Member{Key: p.Key, Value: d})
		}
	}
	return members.Object()
}
