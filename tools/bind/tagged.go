package bind

import (
	"regexp"
	"strings"

	"tenon/templates/canonical"
	"tenon/tools/format"
)

// taggedCore is from a name to the value of its argument: where the call ends is told by what
// follows it.
func taggedCore(text, tool string) (from, to int) {
	from = strings.Index(text, tool)
	if from < 0 {
		return -1, -1
	}
	key := strings.Index(text[from:], canonical.Key)
	value := strings.Index(text[from:], canonical.Value)
	if key < 0 || value < key || value > 4*maxWords {
		return -1, -1
	}
	return from, from + value + len(canonical.Value)
}

// typedArguments are the probe's first two arguments without strings: what stands between the
// value of one and the key of the other ends an argument and opens the next.
var typedArguments = regexp.MustCompile(`(?s)` + canonical.Tool + `(.*?[^\w])n([^\w].*?)1\.5(.*?[^\w])b([^\w].*?)[tT]rue(.*?[^\w])z([^\w])`)

// fillTagged reads a call whose arguments stand between tags, the key in one of them.
func fillTagged(d *format.Family, f *frame, s Shown) bool {
	one := s.body(s.Call)
	_, after, _ := strings.Cut(one, canonical.Tool)
	head, rest, _ := strings.Cut(after, canonical.Key)
	inside, behind, _ := strings.Cut(rest, canonical.Value)
	c := format.Tagged{}
	next := f.behind // behind a value, where another argument follows
	if typed := typedArguments.FindStringSubmatch(s.body(s.Typed)); typed != nil {
		next = typed[3]
	}
	open := argumentTag(head, next)
	if open == "" || !strings.ContainsAny(inside, ">]") {
		return false
	}
	c.Arg.Open = strings.TrimLeft(open, " \n")
	name := strings.TrimSuffix(head, open)
	gap := open[:len(open)-len(c.Arg.Open)]
	name, gap = strings.TrimRight(name, " \n"), name[len(strings.TrimRight(name, " \n")):]+gap
	c.ArgEnd = firstTag(behind)
	c.Between = gap
	fillValue(&c, inside, behind, s)
	if c.ArgEnd == "" || c.Arg.Open == "" {
		return false
	}
	f.behind = strings.TrimPrefix(strings.TrimLeft(f.behind, " \n"), c.ArgEnd)
	f.between = strings.TrimPrefix(strings.TrimLeft(f.between, " \n"), c.ArgEnd)
	return f.takeCallTag(d, &c, name)
}

// argumentTag is what opens an argument: what ends the text before the first key and the text
// before the next alike, from the start of a tag on, with the layout before it.
func argumentTag(head, next string) string {
	text := head[len(head)-commonEnd(head, next):]
	if !strings.ContainsAny(text, "<[") { // no second argument is shown
		text = head
	}
	i := lastBracket(text)
	if i < 0 {
		return ""
	}
	// a marker, and words that belong to it
	if at := tag.FindAllStringIndex(text, -1); len(at) > 0 {
		if last := at[len(at)-1]; last[1] < len(text) && last[1] > i && strings.TrimSpace(text[last[1]:]) != "" {
			i = last[0]
		}
	}
	return text[len(strings.TrimRight(text[:i], " \n")):]
}

// lastBracket is where the last tag of a text begins, with all of its brackets; -1 if none does.
func lastBracket(text string) int {
	i := strings.LastIndexAny(text, "<[")
	for i > 0 && text[i-1] == text[i] {
		i--
	}
	return i
}

// fillValue reads what stands between a key and its value.
func fillValue(c *format.Tagged, inside, behind string, s Shown) {
	c.Lines = strings.HasSuffix(inside, "\n") && strings.HasPrefix(behind, "\n") && c.Between != ""
	inside = strings.TrimSuffix(inside, "\n")
	if at := strings.Index(inside, ">"); at >= 0 && at+1 < len(inside) && strings.Contains(inside[at+1:], "<") && strings.HasPrefix(inside, "<") {
		c.Arg.Close = inside[:at+1] // <key>K</key><value>V
		c.Value = strings.TrimLeft(inside[at+1:], " \n")
		return
	}
	c.Arg.Close = inside
	// the kind of the value is an attribute
	if quote, attribute, ok := strings.Cut(inside, `" `); ok && quote == "" {
		close := attribute[strings.LastIndexByte(attribute, '"')+1:]
		c.Arg.Close = `"` + close
		c.TextAttribute = strings.TrimSuffix(attribute, close)
		fillKinds(c, s)
	}
}

// fillKinds reads how the tag of an argument says that its value is JSON.
func fillKinds(c *format.Tagged, s Shown) {
	typed := typedArguments.FindStringSubmatch(s.body(s.Typed))
	if typed == nil {
		return
	}
	kinds := [2]string{}
	for i, t := range []string{typed[2], typed[4]} {
		_, attribute, _ := strings.Cut(t, `" `)
		kinds[i] = attribute[:strings.LastIndexByte(attribute, '"')+1]
	}
	c.JSONAttribute = kinds[0]
	if kinds[0] != kinds[1] { // it names the type
		name, _, _ := strings.Cut(kinds[0], `"`)
		c.JSONAttribute, c.Attribute = name+`"`, name+`"`
	}
}

// takeCallTag takes the tags around the call's name and at the call's end off the frame. name is
// what stands between the name and the first argument.
func (f *frame) takeCallTag(d *format.Family, c *format.Tagged, name string) bool {
	open := repeated(f.before, f.between)
	if f.between == "" {
		open = strings.TrimLeft(f.before, " \n")
	}
	// the name stands in a tag
	if strings.HasPrefix(name, ">") || strings.HasPrefix(name, `"`) {
		i := lastBracket(open)
		if at := tag.FindAllStringIndex(open, -1); len(at) > 0 && at[len(at)-1][1] > i && at[len(at)-1][1] < len(open) {
			i = at[len(at)-1][0]
		}
		if i < 0 {
			return false
		}
		c.Call = format.Span{Open: open[i:], Close: name}
		// so does the call's number
		if quote, index, ok := strings.Cut(name, `" `); ok && quote == "" && strings.Contains(index, `="`) {
			attribute, close, _ := strings.Cut(index, `"`)
			_, close, _ = strings.Cut(close, `"`)
			c.Index, c.Call.Close = " "+attribute+`"`, `"`+close
		}
		f.before = strings.TrimSuffix(f.before, c.Call.Open)
		f.between = strings.TrimSuffix(f.between, c.Call.Open)
		c.CallEnd = firstTag(f.behind)
		f.behind = strings.TrimPrefix(strings.TrimLeft(f.behind, " \n"), c.CallEnd)
		f.between = strings.TrimPrefix(strings.TrimLeft(f.between, " \n"), c.CallEnd)
		d.Syntaxes = []format.Syntax{*c}
		return c.CallEnd != ""
	}
	c.NameFirst, c.NameEnd = true, strings.TrimSpace(name)
	f.behind, f.between = strings.TrimLeft(f.behind, " \n"), strings.TrimLeft(f.between, " \n")
	d.Syntaxes = []format.Syntax{*c}
	return true
}

// fillNested reads a call whose arguments are elements of their names.
func fillNested(d *format.Family, f *frame, s Shown) bool {
	_, after, _ := strings.Cut(s.body(s.Call), canonical.Tool)
	head, rest, _ := strings.Cut(after, canonical.Key)
	inside, behind, _ := strings.Cut(rest, canonical.Value)
	noise, ok := strings.CutSuffix(inside, ">")
	if !ok && inside != ">" || noise != "" {
		return false
	}
	closing, _, ok := strings.Cut(behind, "</"+canonical.Key+">")
	if !ok {
		return false
	}
	c := format.Nested{Noise: closing}
	name, ok := strings.CutSuffix(head, closing+"<")
	if !ok {
		return false
	}
	i := strings.LastIndexByte(f.before, '<')
	if i < 0 {
		return false
	}
	c.Call = format.Span{Open: f.before[i:], Close: strings.TrimRight(name, " \n")}
	whole := closing + c.Call.Open
	end := closing + "</" + canonical.Key + ">"
	f.before, f.between = strings.TrimSuffix(f.before, whole), strings.TrimSuffix(f.between, whole)
	f.behind, f.between = strings.TrimPrefix(f.behind, end), strings.TrimPrefix(f.between, end)
	c.CallEnd = strings.TrimPrefix(firstTag(f.behind), closing)
	f.behind = strings.TrimPrefix(strings.TrimLeft(f.behind, " \n"), closing+c.CallEnd)
	f.between = strings.TrimPrefix(strings.TrimLeft(f.between, " \n"), closing+c.CallEnd)
	if closing != "" {
		d.Noise = append(d.Noise, closing)
	}
	d.Syntaxes = []format.Syntax{c}
	return c.CallEnd != ""
}
