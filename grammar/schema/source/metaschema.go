package source

import (
	"slices"
	"strconv"
	"strings"
)

// metaschema returns the metaschema of draft d, made from the table of keywords, for schemas that
// refer to it. Its definitions have the names of the published one, which references use.
func metaschema(d Draft) []byte {
	var b strings.Builder
	defs := "definitions"
	if d >= Draft2019 {
		defs = "$defs"
	}
	b.WriteString(`{` + metaHead(d) + `,"` + defs + `":{`)
	b.WriteString(`"schemaArray":{"type":"array","minItems":1,"items":` + metaSelf(d) + `},`)
	least := "0"
	if d <= Draft4 {
		least = "1"
	}
	b.WriteString(`"stringArray":{"type":"array","items":{"type":"string"},"minItems":` + least + `,"uniqueItems":true},`)
	b.WriteString(`"simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},`)
	b.WriteString(`"positiveInteger":{"type":"integer","minimum":0},"nonNegativeInteger":{"type":"integer","minimum":0},`)
	b.WriteString(`"positiveIntegerDefault0":{"type":"integer","minimum":0},"nonNegativeIntegerDefault0":{"type":"integer","minimum":0}`)
	b.WriteString(`},"properties":{"title":{"type":"string"},"description":{"type":"string"},"default":{},"$schema":{"type":"string","format":"uri"}`)
	names := make([]string, 0, len(Keywords))
	for name := range Keywords {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if k := Keywords[name]; k.In(d) {
			b.WriteString(`,` + strconv.Quote(name) + `:` + strings.ReplaceAll(metaShape(name, k.Shape, d), "DEFS", defs))
		}
	}
	b.WriteString(`}`)
	if d <= Draft4 {
		b.WriteString(`,"dependencies":{"exclusiveMaximum":["maximum"],"exclusiveMinimum":["minimum"]}`)
	}
	b.WriteString(`}`)
	if d == Draft3 { // anyOf was a form of type then
		return []byte(strings.ReplaceAll(b.String(), `"anyOf"`, `"type"`))
	}
	return []byte(b.String())
}

func metaHead(d Draft) string {
	id := metaURI(d)
	switch d {
	case Draft2020:
		return `"$schema":"` + id + `","$id":"` + id + `","$dynamicAnchor":"meta","type":["object","boolean"]`
	case Draft2019:
		return `"$schema":"` + id + `","$id":"` + id + `","$recursiveAnchor":true,"type":["object","boolean"]`
	case Draft3, Draft4:
		return `"$schema":"` + id + `#","id":"` + id + `#","type":"object"`
	}
	return `"$schema":"` + id + `#","$id":"` + id + `#","type":["object","boolean"]`
}

func metaURI(d Draft) string {
	for name, draft := range draftNames {
		if draft == d {
			if d >= Draft2019 {
				return "https://" + name
			}
			return "http://" + name
		}
	}
	return ""
}

// metaSelf returns a reference to the metaschema itself, or to one that extends it.
func metaSelf(d Draft) string {
	switch d {
	case Draft2020:
		return `{"$dynamicRef":"#meta"}`
	case Draft2019:
		return `{"$recursiveRef":"#"}`
	}
	return `{"$ref":"#"}`
}

// metaShape returns the schema of values of the given form.
func metaShape(name string, form shape, d Draft) string {
	self := metaSelf(d)
	switch form {
	case shapeSchema:
		if d <= Draft4 && strings.HasPrefix(name, "additional") {
			return `{"anyOf":[{"type":"boolean"},` + self + `]}`
		}
		return self
	case shapeSchemas:
		return `{"$ref":"#/DEFS/schemaArray"}`
	case ShapeSchemaMap:
		return `{"type":"object","additionalProperties":` + self + `}`
	case shapeItems:
		if d == Draft2020 {
			return self
		}
		return `{"anyOf":[` + self + `,{"$ref":"#/DEFS/schemaArray"}]}`
	case shapeNameLists:
		return `{"type":"object","additionalProperties":{"$ref":"#/DEFS/stringArray"}}`
	case shapeDependencies:
		return `{"type":"object","additionalProperties":{"anyOf":[` + self + `,{"$ref":"#/DEFS/stringArray"}]}}`
	case shapeType:
		return `{"anyOf":[{"$ref":"#/DEFS/simpleTypes"},{"type":"array","minItems":1,"uniqueItems":true,"items":{"$ref":"#/DEFS/simpleTypes"}}]}`
	case shapeCount:
		return `{"$ref":"#/DEFS/nonNegativeInteger"}`
	case shapePositive:
		if d <= Draft4 {
			return `{"type":"number","minimum":0,"exclusiveMinimum":true}`
		}
		return `{"type":"number","exclusiveMinimum":0}`
	case shapeRequired:
		if d == Draft3 {
			return `{"type":"boolean"}`
		}
		return `{"$ref":"#/DEFS/stringArray"}`
	case shapeLimit:
		if d <= Draft4 {
			return `{"type":"boolean"}`
		}
		return `{"type":"number"}`
	case shapeList:
		if name == "enum" && d <= Draft6 {
			return `{"type":"array","minItems":1,"uniqueItems":true}`
		}
		return `{"type":"array"}`
	}
	if plain, ok := map[shape]string{shapeNumber: "number", shapeString: "string", shapePattern: "string", shapeBool: "boolean", shapeAnchor: "boolean"}[form]; ok {
		return `{"type":"` + plain + `"}`
	}
	return `{}`
}
