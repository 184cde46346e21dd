package server

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/wire"
)

// What clients ask of other servers to find out whether they can talk to this one, and how much
// its models hold. Copilot and others probe Ollama's routes before they use the OpenAI ones,
// llama-server's clients read /props.

// ollamaVersion is the version of Ollama's interface whose routes are answered; clients refuse
// older ones.
const ollamaVersion = "0.17.4"

// ollamaModel is an entry of GET /api/tags.
type ollamaModel struct {
	Name       string `json:"name"`
	Model      string `json:"model"` // the same
	ModifiedAt string `json:"modified_at"`
	Size       int64  `json:"size"` // bytes
	// it tells versions of a model apart; as in Ollama's own, it is no file's hash
	Digest  string        `json:"digest"`
	Details ollamaDetails `json:"details"`
}

type ollamaDetails struct {
	ParentModel       string   `json:"parent_model"`
	Format            string   `json:"format"` // "gguf"
	Family            string   `json:"family"`
	Families          []string `json:"families"`
	ParameterSize     string   `json:"parameter_size"`
	QuantizationLevel string   `json:"quantization_level"`
}

// ollamaShown is the answer to POST /api/show.
type ollamaShown struct {
	Template string `json:"template"`
	// lines of a name and a value; Continue takes num_ctx from here
	Parameters   string         `json:"parameters"`
	Details      ollamaDetails  `json:"details"`
	ModelInfo    map[string]any `json:"model_info"` // as the file's header has it
	Capabilities []string       `json:"capabilities"`
	ModifiedAt   string         `json:"modified_at"`
}

func ollamaVersionRoute(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"version": ollamaVersion}) }

// ollamaTags serves GET /api/tags. Models that can only embed are in the list, too, as in Ollama's
// own.
func ollamaTags(m Models, k modelFacts) gin.HandlerFunc {
	return func(c *gin.Context) {
		list := []ollamaModel{}
		for _, s := range m.Status() {
			for _, name := range append([]string{s.ID}, s.Aliases...) {
				list = append(list, ollamaModel{Name: name, Model: name, ModifiedAt: unknownDate, Size: s.Size, Digest: k.of(s).Digest, Details: details(s)})
			}
		}
		c.JSON(http.StatusOK, gin.H{"models": list})
	}
}

// ollamaShow serves POST /api/show. The context is what one request may use here, which is what
// its readers want to know; tools are what they may send, and every model takes them here.
func ollamaShow(m Models, other string, k modelFacts) gin.HandlerFunc {
	return func(c *gin.Context) {
		var sent struct {
			Model string `json:"model"`
			Name  string `json:"name"` // the older form
		}
		if _, err := wire.Decode(c.Request.Body, &sent, wire.Others{}); err != nil {
			writeError(c, chat.AsError(err))
			return
		}
		s, err := asked(m, strings.TrimSuffix(cmp.Or(sent.Model, sent.Name), ":latest"), other)
		if err != nil {
			writeError(c, err)
			return
		}
		info := modelFacts{}.describe(s)
		architecture := cmp.Or(s.Architecture, "unknown")
		shown := ollamaShown{
			Template: k.of(s).ChatTemplate, Parameters: fmt.Sprintf("num_ctx %d", info.ContextLength), Details: details(s), Capabilities: info.Capabilities, ModifiedAt: unknownDate,
			ModelInfo: map[string]any{
				"general.architecture": architecture, "general.basename": s.ID, architecture + ".context_length": info.ContextLength,
			},
		}
		c.JSON(http.StatusOK, shown)
	}
}

func details(s fleet.Status) ollamaDetails {
	return ollamaDetails{Format: "gguf", Family: s.Architecture, Families: []string{s.Architecture}, QuantizationLevel: s.Quantization}
}

// props are what llama-server's GET /props tells of its one model.
type props struct {
	Settings     propsSettings `json:"default_generation_settings"`
	TotalSlots   int           `json:"total_slots,omitempty"`
	ModelPath    string        `json:"model_path"` // its name: no path is told
	ModelAlias   string        `json:"model_alias"`
	ChatTemplate string        `json:"chat_template"`
	// of a vocabulary that has none it is left out, as what is not known is
	BOS        string `json:"bos_token,omitempty"`
	EOS        string `json:"eos_token,omitempty"`
	BuildInfo  string `json:"build_info"`
	Modalities struct {
		Vision bool `json:"vision"`
		Audio  bool `json:"audio"`
	} `json:"modalities"`
}

type propsSettings struct {
	Context int `json:"n_ctx"` // tokens one request may use
}

// showProps serves GET /props, of the model that the query names. Without one it is the default,
// else the first that is loaded, else the first.
func showProps(m Models, other string, k modelFacts) gin.HandlerFunc {
	return func(c *gin.Context) {
		s, err := asked(m, c.Query("model"), other)
		if err != nil {
			writeError(c, err)
			return
		}
		t := k.of(s)
		c.JSON(http.StatusOK, props{
			Settings: propsSettings{k.describe(s).ContextLength}, TotalSlots: k.slotsOf(s), ModelPath: s.ID, ModelAlias: s.ID,
			ChatTemplate: t.ChatTemplate, BOS: t.BOS, EOS: t.EOS, BuildInfo: "tenon",
		})
	}
}

// asked finds the model called name, else other. If both are empty: the first loaded one, else
// the first.
func asked(m Models, name, other string) (fleet.Status, *chat.Error) {
	if name = cmp.Or(name, other); name != "" {
		s, _, err := findModel(m, name)
		if err != nil && other != "" {
			s, _, err = findModel(m, other) // the start has made sure of it
		}
		return s, err
	}
	all := m.Status()
	for _, s := range all {
		if s.State == fleet.Loaded {
			return s, nil
		}
	}
	if len(all) == 0 {
		return fleet.Status{}, chat.UnknownModel(name, nil)
	}
	return all[0], nil
}
