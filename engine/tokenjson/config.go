package tokenjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// config is what a folder says beside its tokenizer.json.
type config struct {
	bos, eos string
	addBOS   *bool // nil: tokenizer.json says it
	ends     []int32
	template string
}

// readConfig reads the files beside a tokenizer.json, as far as they are there. Their values come
// in several forms.
func readConfig(folder string) (c config, err error) {
	var in struct {
		BOS      any   `json:"bos_token"`
		EOS      any   `json:"eos_token"`
		AddBOS   *bool `json:"add_bos_token"`
		Template any   `json:"chat_template"`
		Ends     any   `json:"eos_token_id"`
	}
	for _, name := range []string{"generation_config.json", "tokenizer_config.json"} {
		if err := readJSON(filepath.Join(folder, name), &in); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return c, err
		}
	}
	c = config{bos: textOf(in.BOS, "content"), eos: textOf(in.EOS, "content"), addBOS: in.AddBOS, template: textOf(in.Template, "template")}
	ends, several := in.Ends.([]any)
	if !several {
		ends = []any{in.Ends}
	}
	for _, end := range ends {
		if id, ok := end.(float64); ok {
			c.ends = append(c.ends, int32(id))
		}
	}
	switch text, err := readFile(filepath.Join(folder, "chat_template.jinja")); {
	case err == nil:
		c.template = string(text)
	case !errors.Is(err, fs.ErrNotExist):
		return c, err
	}
	return c, nil
}

// textOf is a text, or the one that an object has under a key; of several objects that of the one
// whose name is default.
func textOf(v any, key string) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		return textOf(v[key], key)
	case []any:
		for _, one := range v {
			if object, ok := one.(map[string]any); ok && object["name"] == "default" {
				return textOf(object[key], key)
			}
		}
	}
	return ""
}

// longestFile is seven times what the largest files have.
const longestFile = 256 << 20

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, longestFile+1))
	if err == nil && len(text) > longestFile {
		err = fmt.Errorf("read %s: it is longer than %d bytes", path, longestFile)
	}
	return text, err
}

func readJSON(path string, into any) error {
	text, err := readFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
