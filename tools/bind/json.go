package bind

import (
	"encoding/json"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/format"
)

// jsonCore is the smallest object that holds the tool's name as a string, and its arguments.
func jsonCore(text, tool string) (from, to int) {
	at := strings.Index(text, `"`+tool+`"`)
	for i := at; i >= 0; i-- {
		if text[i] != '{' {
			continue
		}
		end := argumentsEnd(text, i)
		if end > at && strings.Contains(text[i:end], `"`+probeKey+`"`) && json.Valid([]byte(text[i:end])) {
			return i, end
		}
	}
	return -1, -1
}

func fillJSON(d *format.Family, f *frame, s Shown) bool {
	one := s.body(s.Call)
	from, to := jsonCore(one, ProbeTool)
	var c format.JSON
	for _, m := range declared.Members([]byte(one[from:to])) {
		value, isText := declared.Text(m.Value)
		switch {
		case m.Key == ProbeTool:
			c.NameIsKey = true
		case isText && value == ProbeTool:
			c.NameKey = m.Key
		case m.Value[0] == '{' && strings.Contains(string(m.Value), probeKey):
			c.ArgsKey = m.Key
		case isText && value != "" && strings.HasSuffix(m.Key, "id"):
			if c.IdKey = m.Key; strings.Trim(value, "0123456789") == "" {
				d.Id = format.IdInteger
			}
		}
	}
	if !c.NameIsKey && (c.NameKey == "" || c.ArgsKey == "") {
		return false
	}
	f.takeArray(&c)
	d.Codecs = []format.Syntax{c}
	f.takeFence(d, c)
	f.takeWord(d, c)
	return true
}

// takeArray takes the brackets of an array of calls off the frame.
func (f *frame) takeArray(c *format.JSON) {
	before, behind := strings.TrimRight(f.before, " \n"), strings.TrimLeft(f.behind, " \n")
	if !strings.HasSuffix(before, "[") || !strings.HasPrefix(behind, "]") {
		return
	}
	c.Array = true
	f.before, f.behind = strings.TrimSuffix(before, "["), strings.TrimPrefix(behind, "]")
	f.between = strings.Trim(f.between, ", \n")
}

// takeFence takes the code fence that calls stand in off the frame.
func (f *frame) takeFence(d *format.Family, c format.Syntax) {
	before, fenced := strings.CutSuffix(strings.TrimRight(f.before, " \n"), format.FenceOpen)
	if !fenced {
		return
	}
	d.Fenced = true
	f.before = before
	f.behind = strings.TrimPrefix(strings.TrimLeft(f.behind, " \n"), format.FenceMark)
	f.between = ""
}

// takeWord makes a cue of what stands before the calls if it is no marker: a word such as one with a colon.
func (f *frame) takeWord(d *format.Family, c format.Syntax) {
	word := strings.TrimSpace(f.before)
	if word == "" || distinct(word) {
		return
	}
	d.Cues = []format.Cue{{Text: word, LineStart: strings.Contains(f.lead+f.start, "\n") && strings.HasSuffix(word, ":"), Codec: c}}
	if d.Fenced || f.before == word {
		f.before = ""
		return
	}
	d.Cues[0].Text = strings.TrimLeft(f.before, " \n")
	f.before = ""
}
