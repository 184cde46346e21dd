package tools

import (
	"os"
	"strings"
	"testing"

	"tenon/tools/peek"
)

// worked is how many bytes a parser looks at to read a text that comes in pieces of 16 bytes.
func worked(p Parser, text string) (n int) {
	peek.Examined = func(bytes int) { n += bytes }
	defer func() { peek.Examined = nil }()
	feed(p, text, 16)
	p.Close(false)
	return n
}

// hostileUnits are what a text may repeat that is hard on a family's parser: each of its markers, alone and before what calls begin with.
func hostileUnits(d *Dialect) []string {
	all := []string{
		"<", "[", "{", "`", "```", "```json\n{", "{\"name\": \"get_weather\", ", "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"a", "[{\"name\": \"", "\n", " ", "\"", "\\\"",
		"<function=get_weather>", "<function=get_weather>\n<parameter=city>\n", "<invoke name=\"get_weather\">", "get_weather(", "get_weather(city=\"", "Action: get_weather\n", "`get_weather`", "<tool_call>", "<tools>{\"name\": ",
	}
	for _, m := range d.Markers() {
		for _, behind := range []string{"", "get_weather", "get_weather\n", " ", "{", "{\"name\": \"get_weather\"", "\"", "<city>"} {
			all = append(all, m+behind)
		}
	}
	return all
}

// Property 4 of issue 6: what a byte costs does not grow with the text, whatever is repeated in it.
func TestWork_growsWithTheTextAndNoFaster(t *testing.T) {
	const size = 4 << 10
	worst, at := 0.0, ""
	for i, d := range Families() {
		p := planFor(t, d, Thinking{})
		for k, unit := range hostileUnits(d) {
			if os.Getenv("TENON_ALL") == "" && (i+k)%29 != 0 {
				continue
			}
			text := strings.Repeat(unit, 1+4*size/len(unit))
			less, more := worked(p.TextParser(), text[:size]), worked(p.TextParser(), text[:4*size])
			ratio := float64(more) / float64(less)
			if ratio > worst && more > 1<<16 {
				worst, at = ratio, d.Key+" "+unit
			}
			if ratio > 5.5 && more > 64*4*size {
				t.Errorf("%s: %q: %d bytes are looked at in %d, %d in %d: %.1f times", d.Key, unit, less, size, more, 4*size, ratio)
			}
		}
	}
	t.Logf("at worst %.2f times the work for 4 times the text, of %q", worst, at)
}
