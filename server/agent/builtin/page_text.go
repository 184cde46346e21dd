package builtin

import (
	"bytes"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// skipped elements hold no text for people; marks are how elements begin that do not stand in a
// line.
var (
	skipped = map[atom.Atom]bool{
		atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true, atom.Textarea: true, atom.Select: true,
	}
	marks = map[atom.Atom]string{
		atom.P: "\n\n", atom.Div: "\n", atom.Section: "\n", atom.Article: "\n\n", atom.Header: "\n", atom.Footer: "\n", atom.Main: "\n", atom.Nav: "\n",
		atom.Ul: "\n", atom.Ol: "\n", atom.Li: "\n- ", atom.Dt: "\n", atom.Dd: "\n  ", atom.Table: "\n", atom.Tr: "\n", atom.Td: " | ", atom.Th: " | ",
		atom.Blockquote: "\n\n> ", atom.Pre: "\n\n", atom.Form: "\n", atom.Title: "\n", atom.Br: "\n", atom.Hr: "\n",
		atom.H1: "\n\n# ", atom.H2: "\n\n## ", atom.H3: "\n\n### ", atom.H4: "\n\n#### ", atom.H5: "\n\n##### ", atom.H6: "\n\n###### ",
	}
)

// readable is the text of a page: headings, paragraphs, lists, and where links lead. It reads
// tokens rather than a tree, in one pass: html-to-markdown takes minutes for a hostile megabyte.
func readable(page []byte, kind string, at *url.URL) string {
	var out pageText
	var link string
	var skip atom.Atom
	for z := html.NewTokenizer(bytes.NewReader(decoded(page, kind))); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return strings.TrimSpace(out.String()) // the end
		}
		t := z.Token()
		switch {
		case skip != 0:
			if kind == html.EndTagToken && t.DataAtom == skip {
				skip = 0
			}
		case kind == html.TextToken:
			out.text(t.Data)
		case kind == html.EndTagToken && t.DataAtom == atom.A:
			out.WriteString(link)
			link = ""
		case kind == html.EndTagToken && strings.HasPrefix(marks[t.DataAtom], "\n"):
			out.space("\n")
		case kind == html.StartTagToken && skipped[t.DataAtom]:
			skip = t.DataAtom
		case kind == html.StartTagToken, kind == html.SelfClosingTagToken:
			out.space(marks[t.DataAtom])
			for _, a := range t.Attr {
				if to, err := at.Parse(a.Val); a.Key == "href" && t.DataAtom == atom.A && err == nil && webAddress(to) == nil {
					link = " (" + to.String() + ")"
				}
			}
		}
	}
}

// decoded is a text in UTF-8, whatever it came in.
func decoded(page []byte, kind string) []byte {
	reader, err := charset.NewReader(bytes.NewReader(page), kind)
	if err != nil {
		return page
	}
	text, _ := io.ReadAll(reader) // what cannot be decoded has a sign of its own
	return text
}

// pageText is text with a gap that stands before the next word.
type pageText struct {
	strings.Builder
	gap string
}

// text writes words, with one space where there was white space.
func (p *pageText) text(s string) {
	for i, w := range strings.Fields(s) {
		if i > 0 || s[0] <= ' ' {
			p.space(" ")
		}
		p.WriteString(p.gap + w)
		p.gap = ""
	}
	if s != "" && s[len(s)-1] <= ' ' {
		p.space(" ")
	}
}

// space has a gap stand before the next word: the one with most lines.
func (p *pageText) space(gap string) {
	if n, was := strings.Count(gap, "\n"), strings.Count(p.gap, "\n"); n > was || n == was && len(gap) > len(p.gap) {
		p.gap = gap
	}
}
