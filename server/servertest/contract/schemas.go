package contract

import (
	"bytes"
	"compress/gzip"
	_ "embed" // our own contracts
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed contracts.json
var ownContracts []byte

const (
	contractsURL   = "https://tenon.invalid/contracts.json"
	descriptionURL = "https://openai.invalid/description.json"
)

// OpenAI returns the schemas of OpenAI's description by name. It is no part of this repository:
// the error says where it was looked for.
func OpenAI() (map[string]any, error) {
	doc, err := description()
	if err != nil {
		return nil, err
	}
	return doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any), nil
}

var description = sync.OnceValues(func() (any, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(root, "..", "shared", "data", "openapi", "openai.json.gz"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(z)
	if err != nil {
		return nil, err
	}
	modernise(doc)
	return doc, nil
})

// moduleRoot is the folder of go.mod: tests run in folders of their own below it.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			err = os.ErrNotExist
		}
		dir = filepath.Dir(dir)
	}
	return "", fmt.Errorf("find the module's folder: %w", err)
}

// modernise turns what the description writes in words of older drafts into today's: nullable
// (OpenAPI 3.0) and $recursiveAnchor (draft 2019-09).
func modernise(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			modernise(e)
		}
	case map[string]any:
		delete(v, "$recursiveAnchor")
		for _, e := range v {
			modernise(e)
		}
		if v["nullable"] == true {
			delete(v, "nullable")
			inner := maps.Clone(v)
			clear(v)
			v["anyOf"] = []any{inner, map[string]any{"type": "null"}}
		}
	}
}

// validate holds a body against a schema; one whose name begins with "#" is our own. Without
// OpenAI's description only those are looked at.
func validate(schema, body string) error {
	s, err := compile(schema)
	if err != nil || s == nil {
		return err
	}
	switch schema {
	case "CreateCompletionResponse":
		// one schema for whole answers and chunks, which forgets that a reason comes last
		body = strings.ReplaceAll(body, `"finish_reason":null`, `"finish_reason":"stop"`)
	case "CreateEmbeddingResponse": // which forgets encoding_format: base64
		body = base64Vector.ReplaceAllString(body, `"embedding":[]`)
	case "CreateChatCompletionStreamResponse":
		// which forgets the custom calls that whole answers may have
		body = strings.ReplaceAll(body, `"type":"custom"`, `"type":"function"`)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

var base64Vector = regexp.MustCompile(`"embedding":"[^"]*"`)

var compiled = struct {
	sync.Mutex
	schemas map[string]*jsonschema.Schema
}{schemas: map[string]*jsonschema.Schema{}}

// compile compiles a schema once. It is nil where the description is not at hand.
func compile(name string) (*jsonschema.Schema, error) {
	compiled.Lock()
	defer compiled.Unlock()
	if s := compiled.schemas[name]; s != nil {
		return s, nil
	}
	url := contractsURL + "#/$defs/" + strings.TrimPrefix(name, "#")
	if !strings.HasPrefix(name, "#") {
		if _, err := description(); err != nil {
			return nil, nil // it is no part of this repository
		}
		url = descriptionURL + "#/components/schemas/" + name
	}
	c, err := contracts()
	if err != nil {
		return nil, err
	}
	s, err := c.Compile(url)
	compiled.schemas[name] = s
	return s, err
}

// contracts knows both documents, as far as they are at hand.
var contracts = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := addResource(c, contractsURL, bytes.NewReader(ownContracts)); err != nil {
		return nil, err
	}
	if doc, err := description(); err == nil {
		return c, c.AddResource(descriptionURL, doc)
	}
	return c, nil
})

func addResource(c *jsonschema.Compiler, url string, r io.Reader) error {
	doc, err := jsonschema.UnmarshalJSON(r)
	if err != nil {
		return err
	}
	return c.AddResource(url, doc)
}
