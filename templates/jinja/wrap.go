package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrapper breaks a line as Python's textwrap does.
type wrapper struct {
	rt           *runtime
	width        int // in characters
	breakLong    bool
	breakHyphens bool
}

// wrap returns the lines that a line becomes.
func (w *wrapper) wrap(s *Str) []*Str {
	chunks := w.chunks(s)
	var lines []*Str
	for i := 0; i < len(chunks); {
		if len(lines) > 0 && isBlankStr(chunks[i]) {
			if i++; i == len(chunks) {
				break
			}
		}
		var line []*Str
		n := 0
		for i < len(chunks) && n+w.length(chunks[i]) <= w.width {
			line = append(line, chunks[i])
			n += w.length(chunks[i])
			i++
		}
		if i < len(chunks) && w.length(chunks[i]) > w.width {
			head, rest := w.cut(chunks[i], n, len(line) == 0)
			if head != nil {
				line = append(line, head)
			}
			chunks[i] = rest
			if rest == nil {
				i++
			}
		}
		if len(line) > 0 && isBlankStr(line[len(line)-1]) {
			line = line[:len(line)-1]
		}
		if len(line) > 0 {
			lines = append(lines, joinStrs(emptyStr, line))
		}
	}
	return lines
}

// length counts a chunk's characters, which is work that a long chunk costs once a line.
func (w *wrapper) length(chunk *Str) int {
	w.rt.scan(chunk)
	return chunk.length()
}

// cut breaks a chunk that fits no line; used says how much of the line is taken. A nil rest means that all of it was used.
func (w *wrapper) cut(chunk *Str, used int, alone bool) (head, rest *Str) {
	if !w.breakLong {
		if alone {
			return chunk, nil
		}
		return nil, chunk
	}
	room := w.width - used
	if w.width < 1 { // a fraction below one
		room = 1
	}
	if room <= 0 { // an empty piece stands behind a space then, which is why textwrap keeps that space
		return emptyStr, chunk
	}
	chars := chunk.index()
	end := room
	if w.breakHyphens && chars.n > room {
		text := chunk.text[:chars.at(room)]
		if h := strings.LastIndexByte(text, '-'); h > 0 && strings.Trim(text[:h], "-") != "" {
			end = utf8.RuneCountInString(text[:h]) + 1
		}
	}
	return chunk.slice(0, chars.at(end)), chunk.slice(chars.at(end), len(chunk.text))
}

func isBlankStr(s *Str) bool { return strings.TrimLeftFunc(s.text, isSpace) == "" }

// wrapSpace is the whitespace that textwrap knows.
func wrapSpace(c rune) bool { return strings.ContainsRune("\t\n\v\f\r ", c) }

// chunks cuts a line into words, spaces and, where allowed, the parts of hyphenated words.
func (w *wrapper) chunks(s *Str) []*Str {
	var out []*Str
	runes := []rune(s.text)
	chars := s.index()
	emit := func(i, j int) int {
		out = append(out, s.slice(chars.at(i), chars.at(j)))
		return j
	}
	for i := 0; i < len(runes); {
		j := i
		for j < len(runes) && wrapSpace(runes[j]) {
			j++
		}
		switch {
		case j > i:
		case !w.breakHyphens:
			for j < len(runes) && !wrapSpace(runes[j]) {
				j++
			}
		case dashes(runes, i) > 0:
			j = i + dashes(runes, i)
		default:
			j = wordEnd(runes, i)
		}
		i = emit(i, j)
	}
	return out
}

// dashes is the length of an em-dash of hyphens between words at i, or 0.
func dashes(r []rune, i int) int {
	if i == 0 || !wordPunct(r[i-1]) {
		return 0
	}
	n := 0
	for i+n < len(r) && r[i+n] == '-' {
		n++
	}
	// The pattern may give back hyphens but needs a word character right behind, so all or nothing.
	if n >= 2 && i+n < len(r) && isNameRune(r[i+n]) {
		return n
	}
	return 0
}

func wordPunct(r rune) bool { return isNameRune(r) || strings.ContainsRune("!\"'&.,?", r) }

func wrapLetter(r rune) bool { return isNameRune(r) && r != '_' && !unicode.IsDigit(r) }

// wordEnd is where the word that begins at i may be broken first.
func wordEnd(r []rune, i int) int {
	letter := func(k int) bool { return k >= 0 && k < len(r) && wrapLetter(r[k]) }
	for j := i + 1; j <= len(r); j++ {
		if j == len(r) || wrapSpace(r[j]) {
			return j
		}
		if r[j] == '-' {
			before := letter(j-1) && letter(j-2) || letter(j-1) && j >= 2 && r[j-2] == '-' && letter(j-3)
			after := letter(j+1) && (letter(j+2) || j+2 < len(r) && r[j+2] == '-' && letter(j+3))
			if before && after {
				return j + 1
			}
		}
		if dashes(r, j) > 0 {
			return j
		}
	}
	return len(r)
}
