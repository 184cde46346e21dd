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

// What a model says of a call that it should have made. A sentence has to announce it, be it in
// prose or before a fence: what can be done, was done or must not be done is no call.
const (
	announced = `(?im)(?:^|[.!?:]\s+|\b(?:let me|let us|let's|i'll|i will|i am going to|i'm going to|i need to|first,?|next,?|now,?|then,?)\s+)`
	// firstPerson announces what a fence holds: in a sentence without it the reader is to run
	// that.
	firstPerson = `(?i)\b(?:let me|let us|let's|i'll|i will|i am going to|i'm going to|i need to)\s+(?:(?:now|first|next|then|just|also|quickly)\s+)*(?:use|run|execute|call|read|check|examine|list|look)\b`
	endings     = `bash|c|cc|cfg|conf|cpp|cs|css|csv|env|go|h|hpp|html?|ini|ipynb|java|jsx?|jsonl?|kt|lock|log|lua|md|mjs|mod|php|pdf|proto|py|rb|rs|rst|scss|sh|sql|sum|svelte|swift|tex|toml|tsv|tsx?|txt|vue|xml|ya?ml|zig`
	value       = "(?:`([^`\\n]+)`|([^`\\s][^`\\n]*))[ \\t]*$"
)

var (
	// The name of a file has a slash in it, or stands between quotes or behind the word "file"
	// and has an ending that files have: v1.2, example.com and Vue.js are names of other
	// things.
	readsFile = regexp.MustCompile(announced + "(?:read|check|examine|look at)\\s+(?:the\\s+|a\\s+|an\\s+)?(?:(?:file\\s+)?[`\"']?([\\w.~-]*/[\\w./~-]*\\w\\.\\w{1,8})|(?:file\\s+[`\"']?|[`\"'])([\\w.~-]*\\w\\.(?:" + endings + ")))(?:[`\"'.,;:!]*(?:\\s|$))")
	codeFence = regexp.MustCompile("(?ms)^```([^\\n`]*)\\n(.*?)\\n?^```[ \\t]*$")
	shells    = []string{"bash", "shell", "sh"}

	// What makes an announcement depend on something: before it in its sentence, and behind
	// it.
	condition = regexp.MustCompile(`(?i)\b(?:if|unless|once|when|whenever|should you)\b`)
	consent   = regexp.MustCompile(`(?i)\b(?:if|unless|once) you\b`)
	// unmeant says that nothing is called: a negation, what is past, advice.
	unmeant     = regexp.MustCompile(`(?i)\b(?:not|never|cannot|without|avoid|against|refuse|unable|already|was|were|did|ran|would|could|should|might|output|(?:you|one)\s+(?:can|may|must|need|have|want))\b|n['’]t\b`)
	intent      = regexp.MustCompile(firstPerson)
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
// shell is another's. It is announced before it, or is the whole text.
func fenced(t *declared.Tool, _, text string) string {
	all := codeFence.FindAllStringSubmatchIndex(text, 2)
	if len(all) != 1 {
		return ""
	}
	at := all[0]
	before, behind := strings.TrimRight(text[:at[0]], " \t\r\n.!?:"), strings.TrimSpace(text[at[1]:])
	if before+behind != "" && !leadsTo(lastSentence(before), behind) {
		return ""
	}
	name, language := strings.ToLower(t.Name), strings.ToLower(strings.TrimSpace(text[at[2]:at[3]]))
	if name != language && !(slices.Contains(shells, name) && slices.Contains(shells, language)) {
		return ""
	}
	return text[at[4]:at[5]]
}

// leadsTo tells whether a sentence announces what follows it, and nothing behind that takes it
// back.
func leadsTo(sentence, behind string) bool {
	behind = behind[:min(len(behind), maxSentence)]
	return intent.MatchString(sentence) && !condition.MatchString(sentence) && !consent.MatchString(behind) && !unmeant.MatchString(sentence+"\n"+behind)
}

// fileRead is the file that a text says will be read, for a tool that demands one.
func fileRead(_ *declared.Tool, key, text string) string {
	key = strings.ToLower(key)
	m := said(readsFile, text)
	if m == nil || !strings.Contains(key, "file") && !strings.Contains(key, "path") {
		return ""
	}
	return m[1] + m[2]
}

// maxSentence bounds how much of a sentence is looked at before an announcement, in bytes.
const maxSentence = 512

// said are the groups of the first announcement in a text that depends on nothing and is not taken
// back.
func said(announcement *regexp.Regexp, text string) (groups []string) {
	for _, at := range announcement.FindAllStringSubmatchIndex(text, -1) {
		before := lastSentence(text[:at[0]+1])
		said, last := text[at[0]:], max(0, at[1]-at[0]-len(". "))
		if end := sentenceEnd.FindStringIndex(said[last:]); end != nil {
			said = said[:last+end[0]]
		}
		from, to := 0, 0
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 {
				from, to = at[i]-at[0], at[i+1]-at[0]
			}
		}
		// a command may say "not"
		around := before + said[:from] + " " + said[min(to, len(said)):]
		if condition.MatchString(before) || consent.MatchString(said) || unmeant.MatchString(around) {
			continue
		}
		for i := 0; i < len(at); i += 2 {
			groups = append(groups, text[max(0, at[i]):max(0, at[i+1])])
		}
		return groups
	}
	return nil
}

// lastSentence is the sentence that a text ends in.
func lastSentence(text string) string {
	text = text[max(0, len(text)-maxSentence):]
	if ends := sentenceEnd.FindAllStringIndex(text, -1); len(ends) > 0 {
		text = text[ends[len(ends)-1][1]:]
	}
	return text
}
