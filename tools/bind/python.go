package bind

import (
	"regexp"
	"strings"

	"tenon/tools/format"
)

// pythonCore is a call as in Python.
func pythonCore(text, tool string) (from, to int) {
	at := regexp.MustCompile(tool + `(\.\w+)?\(`).FindStringIndex(text)
	if at == nil {
		return -1, -1
	}
	end := argumentsEnd(text, at[1]-1)
	if end < 0 || !strings.Contains(text[at[0]:end], probeKey) {
		return -1, -1
	}
	return at[0], end
}

var pythonCall = regexp.MustCompile(ProbeTool + `(\.\w+)?\(\{?"?` + probeKey + `"?(\s*[=:]\s*)["']` + probeValue + `["']\}?\)`)

func fillPython(d *format.Family, f *frame, s Shown) bool {
	call := pythonCall.FindStringSubmatch(s.body(s.Call))
	if call == nil {
		return false
	}
	c := format.Python{Method: call[1]}
	if call[2] != "=" {
		c.Assign = call[2]
	}
	if strings.HasSuffix(f.before, "[") && strings.HasPrefix(f.behind, "]") {
		c.Listed = true
		f.before, f.behind = strings.TrimSuffix(f.before, "["), strings.TrimPrefix(f.behind, "]")
		f.between = strings.Trim(f.between, ", \n")
	} else if strings.Contains(f.between, ",") && blank(strings.ReplaceAll(f.between, ",", "")) != "" || f.between == "," {
		c.Between, f.between = f.between, ""
	}
	if word := strings.TrimSpace(f.before); word != "" && !distinct(word) { // a fence and a word are no markers
		c.Fence.Open = strings.TrimLeft(f.before, " \n")
		if strings.HasPrefix(strings.TrimSpace(f.behind), format.FenceMark) {
			c.Fence.Close = "\n" + format.FenceMark
			f.behind = strings.TrimPrefix(strings.TrimSpace(f.behind), format.FenceMark)
		}
		f.before = ""
	}
	d.Codecs = []format.Syntax{c}
	return true
}
