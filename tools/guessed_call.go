package tools

import (
	"regexp"
	"slices"
	"strings"

	"tenon/tools/declared"
	"tenon/tools/ordered"
)

// GuessedID begins the id of a call that was guessed.
const GuessedID = "guessed_"

// What a model says of a call that it should have made. A sentence has to announce it: what can be
// done, was done or must not be done is no call.
const (
	announced = `(?im)(?:^|[.!?:]\s+|\b(?:let me|let us|let's|i'll|i will|i am going to|i'm going to|i need to|first,?|next,?|now,?|then,?)\s+)`
	value     = "(?:`([^`\\n]+)`|([^`\\s][^`\\n]*))[ \\t]*$"
)

var (
	readsFile = regexp.MustCompile(announced + "(?:read|check|examine|look at)\\s+(?:the\\s+|a\\s+|an\\s+)?(?:file\\s+)?[`\"']?([\\w./~-]*\\w\\.\\w{1,8})(?:[`\"'.,;:!]*(?:\\s|$))")
	codeFence = regexp.MustCompile("(?ms)^```([^\\n`]*)\\n(.*?)\\n?^```[ \\t]*$")
	shells    = []string{"bash", "shell", "sh"}

	// What makes an announcement depend on something: before it in its sentence, and behind it.
	condition   = regexp.MustCompile(`(?i)\b(?:if|unless|once|when|whenever|should you)\b`)
	consent     = regexp.MustCompile(`(?i)\b(?:if|unless|once) you\b`)
	sentenceEnd = regexp.MustCompile(`[.!?](?:\s|$)|\n`)
)

// Guess reads a call out of the text of a whole turn that has none: prose that says which tool is
// used on what, a code fence of the tool's name, a file that is read. Only the named tools are
// guessed, and only where one text is all that they demand and the result fits their schema.
func (p *Plan) Guess(text string, names []string) (Call, bool) {
	for _, find := range []func(t *declared.Tool, key, text string) string{commanded, fenced, fileRead} {
		for i := range p.core.Tools {
			t := &p.core.Tools[i]
			key := onlyText(t)
			if !t.Allowed || !p.core.Callable || key == "" || !slices.Contains(names, t.Name) {
				continue
			}
			found := strings.TrimSpace(find(t, key, text))
			args := ordered.MemberList{{Key: key, Value: []byte(ordered.String(found))}}
			if described := t.Schema.Declares("description") && key != "description"; described {
				args = append(args, ordered.Member{Key: "description", Value: []byte(ordered.String("Run " + t.Name))})
			}
			c := Call{Namespace: t.Namespace, Name: t.Name, Arguments: args.Object()}
			if found == "" || t.Schema.Validate(c.Arguments) != nil {
				continue
			}
			if p.newID != nil {
				c.ID = GuessedID + p.newID(c)
			}
			return c, true
		}
	}
	return Call{}, false
}

// onlyText is the only argument that a tool demands beside a description, "" if it is no text or
// there are others.
func onlyText(t *declared.Tool) (key string) {
	for _, m := range t.Properties(declared.MostMasked) {
		switch {
		case !m.Required || m.Key == "description" && key != "":
		case key != "" && key != "description", m.Kind != declared.KindText:
			return ""
		default:
			key = m.Key
		}
	}
	return key
}

// commanded is what a text says the tool is used on: "I'll use Bash to run `ls`".
func commanded(t *declared.Tool, _, text string) string {
	m := said(regexp.MustCompile(announced+"(?:use|run|execute|call)\\s+(?:the\\s+)?`?"+regexp.QuoteMeta(t.Name)+"`?(?:\\s+tool)?(?:\\s+to\\s+(?:run|execute):?|\\s*:)\\s*"+value), text)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// fenced is what the only code fence of a text holds, if its language is the tool's name; any
// shell is another's.
func fenced(t *declared.Tool, _, text string) string {
	all := codeFence.FindAllStringSubmatch(text, 2)
	if len(all) != 1 {
		return ""
	}
	name, language := strings.ToLower(t.Name), strings.ToLower(strings.TrimSpace(all[0][1]))
	if name != language && !(slices.Contains(shells, name) && slices.Contains(shells, language)) {
		return ""
	}
	return all[0][2]
}

// fileRead is the file that a text says will be read, for a tool that demands one.
func fileRead(_ *declared.Tool, key, text string) string {
	key = strings.ToLower(key)
	m := said(readsFile, text)
	if m == nil || !strings.Contains(key, "file") && !strings.Contains(key, "path") {
		return ""
	}
	return m[1]
}

// maxSentence bounds how much of a sentence is looked at before an announcement, in bytes.
const maxSentence = 512

// said are the groups of the first announcement in a text that depends on nothing.
func said(announcement *regexp.Regexp, text string) (groups []string) {
	for _, at := range announcement.FindAllStringSubmatchIndex(text, -1) {
		before := text[max(0, at[0]-maxSentence) : at[0]+1]
		if ends := sentenceEnd.FindAllStringIndex(before, -1); len(ends) > 0 {
			before = before[ends[len(ends)-1][1]:]
		}
		said, last := text[at[0]:], max(0, at[1]-at[0]-len(". "))
		if end := sentenceEnd.FindStringIndex(said[last:]); end != nil {
			said = said[:last+end[0]]
		}
		if condition.MatchString(before) || consent.MatchString(said) {
			continue
		}
		for i := 0; i < len(at); i += 2 {
			groups = append(groups, text[max(0, at[i]):max(0, at[i+1])])
		}
		return groups
	}
	return nil
}
