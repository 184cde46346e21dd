package tools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenon/tools/bind"
	"tenon/tools/families"
	"tenon/tools/format"
	"tenon/tools/parse"
)

// The seeded generator of templates that no one has seen (issue 22): markers renamed, suffixes
// added, fields of call objects swapped, in a template and in the transcripts of its family alike,
// so that the template says all there is to know.

// renaming maps texts to others in one pass, the longest first.
type renaming struct {
	find *regexp.Regexp
	to   map[string]string
}

func (r renaming) apply(text string) string {
	return r.find.ReplaceAllStringFunc(text, func(s string) string { return r.to[s] })
}

// markerWord is the word in a marker.
var markerWord = regexp.MustCompile(`[A-Za-z_]{3,}`)

// newRenaming renames the words in the markers of calls and thinking, each to a new one of its
// kind.
func newRenaming(d *format.Dialect, r *rand.Rand, fields bool) renaming {
	words := map[string]string{}
	suffix := ""
	if r.IntN(3) == 0 {
		suffix = fmt.Sprintf("_%c%d", 'a'+rune(r.IntN(26)), r.IntN(100))
	}
	word := func(old string) string {
		if words[old] == "" {
			words[old] = made(old, r) + suffix
		}
		return words[old]
	}
	to := map[string]string{}
	for _, m := range d.AllMarkers() {
		if m.Role == format.RoleEnd || !strings.ContainsAny(m.Text, "<[") {
			continue
		}
		to[m.Text] = markerWord.ReplaceAllStringFunc(m.Text, func(w string) string {
			if slices.Contains([]string{"name", "key", "type", "index", "string", "true", "false", "tool"}, w) {
				return w // attributes
			}
			return word(w)
		})
	}
	if c, ok := d.Syntaxes[0].(format.JSON); ok && !c.NameIsKey && fields {
		for _, k := range []string{c.NameKey, c.ArgsKey} {
			to[`"`+k+`"`] = `"` + made(k, r) + `"`
		}
	}
	var all []string
	for text := range to {
		all = append(all, regexp.QuoteMeta(text))
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return renaming{regexp.MustCompile(strings.Join(all, "|")), to}
}

// made is a word that no format has, in the case of another.
func made(old string, r *rand.Rand) string {
	const vowels, others = "aeiou", "bdfgklmnprstvz"
	w := ""
	for range 2 + r.IntN(2) {
		w += string(others[r.IntN(len(others))]) + string(vowels[r.IntN(len(vowels))])
	}
	if strings.ToUpper(old) == old {
		return strings.ToUpper(w)
	}
	return w
}

// renamable are the families whose template can be renamed by its text: nothing of their markers
// is put together by the template.
func renamable(source string, d *format.Dialect) bool {
	return d.Headers == nil && d.Lead == "" && slices.ContainsFunc(d.AllMarkers(), func(m format.Marker) bool { return m.Role == format.RoleCall && strings.Contains(source, m.Text) })
}

func TestBind_renamedTemplates(t *testing.T) {
	all := vendorTemplates(t)
	var names []string
	for name, source := range all {
		if d, ok := families.Lookup(name); ok && renamable(source, d) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	bare := bind.Known{OtherFamilies: parse.NewOtherFamilies(nil)}
	variants, turns, read, exact := 50, 0, 0, 0
	if os.Getenv("TENON_ALL") != "" {
		variants = 2000
	}
	missed, corpus := map[string]int{}, transcripts(t)
	for i := range variants {
		r := rand.New(rand.NewPCG(22, uint64(i)))
		name := names[i%len(names)]
		d, _ := families.Lookup(name)
		rename := newRenaming(d, r, true)
		e, ok := shownBy(rename.apply(all[name]), eosOf(name))
		// the keys are data
		if c, isJSON := d.Syntaxes[0].(format.JSON); isJSON && !strings.Contains(e.Shown.Call, rename.to[`"`+c.NameKey+`"`]) {
			rename = newRenaming(d, r, false)
			e, ok = shownBy(rename.apply(all[name]), eosOf(name))
		}
		if !ok {
			continue // the template builds its markers of parts
		}
		b := bind.Detect(e, bare)
		exact += count(b.Exact)
		n, of := readRenamed(t, corpus, b.Dialect, bare.OtherFamilies, name, rename, r)
		turns, read = turns+of, read+n
		missed[name] += of - n
	}
	for _, name := range names {
		if missed[name] > 0 {
			t.Logf("%-18s %d missed", name, missed[name])
		}
	}
	share := 100 * float64(read) / float64(max(turns, 1))
	t.Logf("%d variants of %d templates: %d of %d transcripts are read, %.1f %%; %d bindings write what the template renders", variants, len(names), read, turns, share, exact)
	if share < 95 {
		t.Errorf("%.1f %% are read; at least 95 %% must be", share)
	}
	if exact < variants*19/20 {
		t.Errorf("%d bindings of %d write what the template renders; at least 95 %% must", exact, variants)
	}
}

// readRenamed has a binding read well-formed transcripts of a family, renamed.
func readRenamed(t *testing.T, all []transcript, d *format.Dialect, others *parse.OtherFamilies, family string, rename renaming, r *rand.Rand) (read, of int) {
	for _, tr := range all {
		var want message
		if tr.family != family || tr.turn != (turnFile{}) || !wellFormed[strings.TrimSuffix(filepath.Base(tr.path), ".txtar")] || json.Unmarshal(tr.want, &want) != nil || len(want.Repairs) > 0 || want.Notes > 0 || want.Reasoning != nil || r.IntN(4) > 0 {
			continue
		}
		tr.raw = rename.apply(tr.raw)
		got := playWith(t, &Dialect{d}, others, tr)
		of++
		same := sameCalls(want, got) && rename.apply(deref(want.Content)) == deref(got.Content)
		if !same {
			t.Logf("%s: %q becomes %s", tr.path, tr.raw, sayMessage(got))
		}
		read += count(same)
	}
	return read, of
}
