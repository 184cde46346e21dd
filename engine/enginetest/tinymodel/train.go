package tinymodel

import (
	"cmp"
	"slices"
	"strings"
)

// merges is how many pairs the vocabularies learn.
const merges = 200

// sample is what they are trained on.
const sample = `The weather in the city is cold and the wind is strong. What is the weather there today?
Please call the tool with the name of the city and the unit of the temperature, then tell me what it says.
{"name": "get_weather", "arguments": {"city": "Berlin", "unit": "celsius", "days": 3, "alerts": true}}
{"name": "search", "arguments": {"query": "the history of the bridge", "limit": 10, "filters": []}}
A tenon is the part of a joint that is cut to fit the mortise exactly; nothing else holds the two together.
I think that the answer is in the second letter, which the other one sent later than the first.
func main() { for i := 0; i < 10; i++ { println(i) } } // it prints the numbers from zero to nine
`

type pair struct{ left, right string }

// train learns n merges by byte-pair encoding: the most frequent pair of neighbours becomes one
// symbol, and so on.
func train(words map[string]int, n int) []pair {
	split := map[string][]string{}
	for w := range words {
		split[w] = strings.Split(w, "")
	}
	var learned []pair
	for range n {
		counts := map[pair]int{}
		for w, symbols := range split {
			for i := 1; i < len(symbols); i++ {
				counts[pair{symbols[i-1], symbols[i]}] += words[w]
			}
		}
		best, found := mostFrequent(counts)
		if !found {
			break
		}
		learned = append(learned, best)
		for w, symbols := range split {
			split[w] = join(symbols, best)
		}
	}
	return learned
}

func mostFrequent(counts map[pair]int) (pair, bool) {
	var best pair
	for p, n := range counts {
		if n < counts[best] {
			continue
		}
		if n > counts[best] || p.less(best) {
			best = p
		}
	}
	return best, counts[best] > 0
}

func (p pair) less(q pair) bool {
	return cmp.Or(cmp.Compare(p.left, q.left), cmp.Compare(p.right, q.right)) < 0
}

func join(symbols []string, p pair) []string {
	joined := symbols[:0:0]
	for i := 0; i < len(symbols); i++ {
		if i+1 < len(symbols) && symbols[i] == p.left && symbols[i+1] == p.right {
			joined = append(joined, p.left+p.right)
			i++
			continue
		}
		joined = append(joined, symbols[i])
	}
	return joined
}

// wordsOf counts the words of a text, each with the space before it, in the spelling of a
// vocabulary.
func wordsOf(text string, spell func(string) string) map[string]int {
	words := map[string]int{}
	for _, line := range strings.Split(text, "\n") {
		for i, w := range strings.Fields(line) {
			if i > 0 {
				w = " " + w
			}
			words[spell(w)]++
		}
	}
	return words
}

func runesOf(words map[string]int) []string {
	seen := map[string]bool{}
	for w := range words {
		for _, r := range w {
			seen[string(r)] = true
		}
	}
	list := make([]string, 0, len(seen))
	for r := range seen {
		list = append(list, r)
	}
	slices.Sort(list)
	return list
}

func spacesAsUnderscores(s string) string { return strings.ReplaceAll(s, " ", "▁") }

func byteLevel(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(byteRune(s[i]))
	}
	return b.String()
}

// byteRune is how GPT-2's vocabulary writes a byte: as itself where that is printable, else as the
// next free code point from 256 on.
func byteRune(b byte) rune {
	free := rune(256)
	for c := range rune(256) {
		printable := c >= '!' && c <= '~' || c >= 0xA1 && c <= 0xAC || c >= 0xAE
		if c == rune(b) {
			if printable {
				return c
			}
			return free
		}
		if !printable {
			free++
		}
	}
	return free
}
