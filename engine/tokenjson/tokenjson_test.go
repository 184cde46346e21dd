package tokenjson

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
)

func TestTokens_ofEachKindOfFile(t *testing.T) {
	first := with(characterFile(), "normalizer", nil)
	first["pre_tokenizer"] = object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false}
	always := with(first, "pre_tokenizer", object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": false})
	gpt2 := with(byteFile(), "pre_tokenizer", object{"type": "ByteLevel", "add_prefix_space": false})
	digits := with(byteFile(), "pre_tokenizer", object{"type": "Sequence", "pretokenizers": []object{{"type": "Digits", "individual_digits": true}, {"type": "ByteLevel"}}})
	ignores := byteFile()
	ignores["model"] = with(ignores["model"].(object), "ignore_merges", true)
	content := func(text string) engine.Prompt { return engine.Prompt{{Text: text, Origin: engine.Content}} }
	for _, c := range []struct {
		name string
		file object
		p    engine.Prompt
		want []int32
	}{
		{"bytes are joined in the order of the merges", byteFile(), content("hello"), []int32{260, 258, 'o'}},
		{"a run of spaces leaves one to what follows", byteFile(), content("   x"), []int32{260, 259, ' ', 'x'}},
		{"digits by three", byteFile(), content("1234"), []int32{260, '1', '2', '3', '4'}},
		{"texts are normalized", byteFile(), content("u\u0308"), []int32{260, 0xc3, 0xbc}},
		{"bytes above 127", byteFile(), content("ü"), []int32{260, 0xc3, 0xbc}},
		{"what nothing is joined to is no word", byteFile(), content("unreachable"), append([]int32{260}, spelled("unreachable")...)},
		{"unless merges are ignored", ignores, content("unreachable"), []int32{260, 261}},
		{"no word is a control token", ignores, content("<s>"), []int32{260, '<', 's', '>'}},
		{"added tokens that are no markers are found in text", byteFile(), content("a<hr>"), []int32{260, 'a', 302}},
		{"markers are not", byteFile(), content("<call>"), []int32{260, '<', 'c', 'a', 257, '>'}},
		{"a template writes them", byteFile(), engine.Plain("<s>he<call><|end|>"), []int32{260, 256, 301, 300}},
		{"words of GPT-2", gpt2, content("he's 12"), []int32{260, 256, '\'', 's', ' ', '1', '2'}},
		{"single digits", digits, content("he 12"), []int32{260, 256, ' ', '1', '2'}},
		{"characters, and a space before", characterFile(), content("hello hello"), []int32{1, 269, 269}},
		{"bytes of what is no token", characterFile(), content("lü€"), []int32{1, 259, 262, 264, 3 + 0xe2, 3 + 0x82, 3 + 0xac}},
		{"no text is joined to a control token", characterFile(), content("</s>"), []int32{1, 259, 274, 275}},
		{"nor is it one of a byte", characterFile(), content("<0x0A>"), []int32{1, 259, 271, 3 + '0', 3 + 'x', 3 + '0', 3 + 'A', 272}},
		{"of no text there is no space", characterFile(), content(""), []int32{1}},
		{"a space before the first text alone", first, engine.Plain("hello<s>hello"), []int32{1, 269, 1, 260, 266, 268}},
		{"which is none behind a marker", first, engine.Plain("<s>hello"), []int32{1, 260, 266, 268}},
		{"nor where there is one", first, content(" hello"), []int32{1, 269}},
		{"a space before each text", always, engine.Plain("hello<s>hello"), []int32{1, 269, 1, 269}},
	} {
		config := plainConfig
		if _, ok := c.file["model"].(object)["byte_fallback"]; ok {
			config = with(plainConfig, "add_bos_token", true)
		}
		v := open(t, c.file, config)
		got, err := v.Tokens(t.Context(), c.p)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, diff)
		}
	}
}

// spelled are the tokens of a text that is not joined.
func spelled(text string) (ids []int32) {
	for _, b := range []byte(text) {
		ids = append(ids, int32(b))
	}
	return ids
}

func TestText_ofTokens(t *testing.T) {
	for _, c := range []struct {
		file object
		ids  []int32
		want string
	}{
		{byteFile(), []int32{260, 258, 'o', 0xc3, 299, 301, 300, -1, 999}, "hello\xc3<call>"},
		{characterFile(), []int32{1, 269, 3 + 0xe2, 280, 0}, " hello\xe2   "},
	} {
		v := open(t, c.file, plainConfig)
		got, err := v.Text(t.Context(), c.ids, false)
		if string(got) != c.want || err != nil {
			t.Errorf("%q, %v, want %q", got, err, c.want)
		}
	}
}

func TestModel_isWhatTheFolderSays(t *testing.T) {
	for _, c := range []struct {
		name, template, bos, eos string
		files                    map[string]any
		addBOS                   bool
		ends                     []int32
	}{
		{"nothing", "", "", "", nil, false, nil},
		{"a template of its own", "{{ own }}", "<s>", "<|end|>", map[string]any{
			"tokenizer_config.json": with(plainConfig, "chat_template", "{{ old }}"), "chat_template.jinja": "{{ own }}",
			"generation_config.json": object{"eos_token_id": []int{301, 300}},
		}, true, []int32{300, 301}},
		{"a template of several", "{{ default }}", "<s>", "", map[string]any{"tokenizer_config.json": object{
			"bos_token": "<s>", "eos_token": nil, "add_bos_token": false,
			"chat_template": []object{{"name": "tool_use", "template": "{{ x }}"}, {"name": "default", "template": "{{ default }}"}},
		}, "generation_config.json": object{"eos_token_id": 301}}, false, []int32{301}},
	} {
		files := map[string]any{Name: byteFile()}
		for name, v := range c.files {
			files[name] = v
		}
		v, err := Open(write(t, files), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		m := v.Model()
		var ends []int32
		for _, k := range m.Vocab.Markers {
			if k.End {
				ends = append(ends, k.ID)
			}
		}
		if m.Template != c.template || m.Vocab.BOS != c.bos || m.Vocab.EOS != c.eos || m.Vocab.AddBOS != c.addBOS || !slices.Equal(ends, c.ends) || m.Vocab.Size != 303 {
			t.Errorf("%s: %q, %+v, ends %d", c.name, m.Template, m.Vocab, ends)
		}
		if !m.Can.Tokenizes() {
			t.Errorf("%s: %+v", c.name, m.Can)
		}
	}
}

// What is not known exactly is refused, with what to do.
func TestOpen_refuses(t *testing.T) {
	model := func(key string, value any) object {
		return with(byteFile(), "model", with(byteFile()["model"].(object), key, value))
	}
	holes := byteFile()["model"].(object)["vocab"].(object)
	delete(holes, "A")
	for want, file := range map[string]any{
		"only BPE is known":        model("type", "Unigram"),
		"not as expected":          model("vocab", [][]any{{"a", -1.5}}),
		"no token spells the byte": model("vocab", holes),
		"is no pair":               model("merges", []string{"he"}),
		"become none":              model("merges", [][]string{{"o", "o"}}),
		"changes texts":            with(byteFile(), "normalizer", object{"type": "Lowercase"}),
		"cuts words in a way":      with(byteFile(), "pre_tokenizer", object{"type": "Whitespace"}),
		"cuts words by a pattern":  with(byteFile(), "pre_tokenizer", object{"type": "Split", "pattern": object{"Regex": "("}, "behavior": "Isolated"}),
		"its id is 1048576":        with(byteFile(), "added_tokens", []object{{"id": mostTokens, "content": "x"}}),
		"is that of":               with(byteFile(), "added_tokens", []object{{"id": 7, "content": "x"}}),
		"its id is -1":             with(byteFile(), "added_tokens", []object{{"id": -1, "content": "x"}}),
		"unexpected end":           `{"model":`,
		"cannot unmarshal":         `{"model": 7}`,
	} {
		_, err := Open(write(t, map[string]any{Name: file}), Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), Name) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Open(write(t, map[string]any{Name: byteFile(), "tokenizer_config.json": "{"}), Options{}); err == nil {
		t.Error("a config that cannot be read is accepted")
	}
	if _, err := Open(write(t, map[string]any{Name: byteFile(), "generation_config.json": `{"eos_token_id": 5000}`}), Options{}); err == nil {
		t.Error("an end that is no token is accepted")
	}
}

func TestFolder_ofWhatIsNamed(t *testing.T) {
	folder := write(t, map[string]any{Name: "{}"})
	for path, want := range map[string]string{
		folder: folder, folder + "/": folder, filepath.Join(folder, Name): folder, "": "", "hf:owner/repo": "", filepath.Join(folder, "model.gguf"): "",
	} {
		if got := Folder(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "model.gguf"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Folder(folder); got != "" {
		t.Errorf("a folder with a model gives %q", got)
	}
	if got := Folder(filepath.Join(folder, Name)); got != folder {
		t.Errorf("a file that is named gives %q", got)
	}
}

func TestTokenizer_evaluatesNothing(t *testing.T) {
	v := open(t, byteFile(), plainConfig)
	_, opened := v.Open(t.Context(), engine.Turn{})
	_, embedded := v.Embed(t.Context(), nil)
	if !errors.Is(opened, engine.ErrUnsupported) || !errors.Is(embedded, engine.ErrUnsupported) || v.Close() != nil {
		t.Errorf("%v, %v", opened, embedded)
	}
}
