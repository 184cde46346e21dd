package jinja

import (
	"fmt"
	"strings"
	"time"
)

// maxField is the widest field of strftime, for which a format needs at least two characters.
const maxField = 50

// strftime formats t as glibc does in the C locale for a time without zone, as Python's
// datetime.now() is. A minus before a conversion leaves out its padding.
func strftime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		rest, bare := strings.CutPrefix(format[i:], "%-")
		if !bare {
			rest, _ = strings.CutPrefix(format[i:], "%")
		}
		field, ok := "", false
		if rest != "" && len(rest) < len(format)-i {
			field, ok = timeField(t, rest[0])
		}
		switch {
		case !ok:
			b.WriteByte(format[i])
			continue
		case bare && len(field) > 1:
			field = strings.TrimLeft(field[:len(field)-1], "0 ") + field[len(field)-1:]
		}
		b.WriteString(field)
		i = len(format) - len(rest)
	}
	return b.String()
}

// timeLayouts are the conversions that package time knows, others what they stand for.
var timeLayouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02", 'D': "01/02/06", 'e': "_2",
	'F': "2006-01-02", 'h': "Jan", 'H': "15", 'I': "03", 'j': "002", 'n': "\n", 't': "\t", 'm': "01", 'M': "04", 'p': "PM", 'P': "pm", 'r': "03:04:05 PM",
	'R': "15:04", 'S': "05", 'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006",
}

// timeField is one conversion.
func timeField(t time.Time, c byte) (string, bool) {
	if layout, ok := timeLayouts[c]; ok {
		return t.Format(layout), true
	}
	switch c {
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000), true
	case 'z', 'Z':
		return "", true
	case '%':
		return "%", true
	}
	return "", false
}
