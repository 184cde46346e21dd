package wire

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tenon/server/chat"
)

type shared struct {
	Seed *int `json:"seed"`
}

type body struct {
	Model string `json:"model"`
	Tools []struct {
		Function struct {
			Name   string `json:"name"`
			Strict bool   `json:"strict"`
		} `json:"function"`
	} `json:"tools"`
	Bias map[string]float64 `json:"bias"`
	Raw  json.RawMessage    `json:"raw"`
	shared
}

var bodyOthers = Others{
	Refused:  map[string]string{"audio": "this server writes text only"},
	Harmless: map[string]Type{"store": Boolean, "user": String, "metadata": Object, "calls": Integer},
}

func decode(text string) ([]string, *chat.Error) {
	var b body
	ignored, err := Decode(strings.NewReader(text), &b, bodyOthers)
	var e *chat.Error
	errors.As(err, &e)
	return ignored, e
}

func TestDecode_errorsNameTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		`{"model":3}`: "model: is of type number; expected a string",
		`{"tools":[{"function":{"name":"a"}},{"function":{"name":7}}]}`:                     "tools[1].function.name: is of type number; expected a string",
		`{"tools":[{"function":{"name":"a\"]}"}}, {"function":{"name":"b","strict":"x"}}]}`: "tools[1].function.strict: is of type string; expected true or false",
		`{"tools":[1]}`:                   "tools[0]: is of type number; expected an object",
		`{"tools":{}}`:                    "tools: is of type object; expected an array",
		`{"tools":[{"function":[]}]}`:     "tools[0].function: is of type array; expected an object",
		`{"bias":{"5":1,"6":"x"}}`:        "bias.6: is of type string; expected a number",
		`{"seed":1.5}`:                    "seed: is of type number 1.5; expected an integer",
		`{"raw":[[[1e999]]],"seed":true}`: "seed: is of type bool; expected an integer",
		`[]`:                              "the body is of type array; expected an object",
		`{} {}`:                           "the body goes on after its JSON object",
		`{"audio":{}}`:                    "audio: is not supported: this server writes text only",
		`{"store":"yes"}`:                 "store: is not of its type; expected true or false",
		`{"user":7}`:                      "user: is not of its type; expected a string",
		`{"metadata":[]}`:                 "metadata: is not of its type; expected an object",
		`{"calls":1.5}`:                   "calls: is not of its type; expected an integer",
		`{"MODEL":"m"}`:                   "MODEL: is not known; expected model",
		`{"tools":[{"function":{"Strict":true}}]}`: "tools[].function.Strict: is not known; expected strict",
	} {
		if _, e := decode(text); e == nil || e.Kind != chat.Invalid || e.Error() != want {
			t.Errorf("%s: %v\nwant %s", text, e, want)
		}
	}
}

func TestDecode_listsWhatHasNoEffect(t *testing.T) {
	ignored, e := decode(`{"model":"m","seed":null,"user":"u","store":false,"metadata":{},"calls":3,"new":[1],"audio":null,"also":null}`)
	if e != nil || !slices.Equal(ignored, []string{"calls", "metadata", "new", "store", "user"}) {
		t.Errorf("%v, %v", ignored, e)
	}
}

// encoding/json passes over what a struct does not have; a client is told of it wherever it
// stands.
func TestDecode_listsWhatHasNoEffectInside(t *testing.T) {
	ignored, e := decode(` { "tools" : [ {"function":{"name":"a","x":{"y":[1,"]}",2]}}, "z":[{}]} , {"z":"\\\"","w":null} ] ,"raw":{"a":1}, "x.model":-1e5 , "bias":{"1":2}}`)
	if e != nil || !slices.Equal(ignored, []string{"tools[].function.x", "tools[].z", "x.model"}) {
		t.Errorf("%v, %v", ignored, e)
	}
}

func TestDecodePart_namesPlacesInTheWhole(t *testing.T) {
	var parts []struct {
		Text string `json:"text"`
	}
	ignored, err := DecodePart(json.RawMessage(`[{"text":"a"},{"text":"b","mark":1}]`), &parts, "messages[3].content")
	if err != nil || !slices.Equal(ignored, []string{"messages[].content[].mark"}) {
		t.Errorf("%v, %v", ignored, err)
	}
	for text, want := range map[string]string{
		`[{"text":"a"},{"text":5}]`: "messages[3].content[1].text: is of type number; expected a string",
		`["a"]`:                     "messages[3].content[0]: is of type string; expected an object",
		`5`:                         "messages[3].content: is of type number; expected an array",
	} {
		if _, err := DecodePart(json.RawMessage(text), &parts, "messages[3].content"); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func FuzzDecode_unknownMembersNeverPanic(f *testing.F) {
	f.Add(`{"model":"m","tools":[{"function":{"name":"a","x":[1,{"y":null}]}}],"raw":[[]],"a":"\\"}`)
	f.Add("{\"seed\" :1 ,\"b\":-1.5e3}\n")
	f.Fuzz(func(t *testing.T, text string) {
		var all map[string]json.RawMessage
		ignored, e := decode(text)
		if e != nil || json.Unmarshal([]byte(text), &all) != nil {
			return
		}
		for name, value := range all {
			known := slices.Contains([]string{"model", "tools", "bias", "raw", "seed"}, name) || IsNull(value)
			if slices.Contains(ignored, name) == known {
				t.Errorf("%q: %q of %q", text, name, ignored)
			}
		}
	})
}

func TestDecode_bodiesThatCannotBeRead(t *testing.T) {
	tooLarge := http.MaxBytesReader(httptest.NewRecorder(), io.NopCloser(strings.NewReader(`{"model":"m"}`)), 5)
	var b body
	_, err := Decode(tooLarge, &b, Others{})
	if e := chat.AsError(err); e.Kind != chat.TooLarge {
		t.Errorf("%v", e)
	}
	_, err = Decode(io.MultiReader(strings.NewReader(`{"mod`), failing{}), &b, Others{})
	if e := chat.AsError(err); e.Kind != chat.ClientGone {
		t.Errorf("%v", e)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func FuzzPlaceAt_neverPanics(f *testing.F) {
	f.Add(`{"a":[{"b":1},[2,"x"]]}`, int64(9))
	f.Fuzz(func(_ *testing.T, text string, offset int64) { placeAt([]byte(text), offset) })
}
