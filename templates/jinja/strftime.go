package jinja

import (
	"fmt"
	"strings"
	"time"
)

// strftime formats t as glibc does in the C locale for a time without zone, as Python's
// datetime.now() is.
func strftime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		start := i
		var flag byte
		for i+2 < len(format) && strings.IndexByte("-_0^#", format[i+1]) >= 0 {
			i++
			flag = format[i]
		}
		width := 0
		for i+2 < len(format) && format[i+1] >= '0' && format[i+1] <= '9' && width < 100 {
			i++
			width = width*10 + int(format[i]-'0')
		}
		i++
		if s, ok := timeField(t, format[i], flag, width); ok {
			b.WriteString(s)
		} else {
			b.WriteString(format[start : i+1])
		}
	}
	return b.String()
}

// composed are the conversions that stand for others.
var composed = map[byte]string{
	'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'F': "%Y-%m-%d", 'h': "%b", 'n': "\n", 'R': "%H:%M", 'r': "%I:%M:%S %p",
	't': "\t", 'T': "%H:%M:%S", 'x': "%m/%d/%y", 'X': "%H:%M:%S",
}

// timeField is one conversion; flag is the last of glibc's flags, or 0, and wide the width that is
// asked for, or 0.
func timeField(t time.Time, c, flag byte, wide int) (string, bool) {
	pad := func(s string, fill byte) string {
		if flag == '_' || flag == '0' {
			fill = map[byte]byte{'_': ' ', '0': '0'}[flag]
		}
		return strings.Repeat(string(fill), max(wide-len(s), 0)) + s
	}
	if f, ok := composed[c]; ok {
		return pad(strftime(t, f), ' '), true
	}
	if s, ok := timeName(t, c); ok {
		if flag == '^' || flag == '#' && c != 'p' {
			s = strings.ToUpper(s)
		} else if flag == '#' {
			s = strings.ToLower(s)
		}
		return pad(s, ' '), true
	}
	n, width, fill, ok := timeNumber(t, c)
	if !ok {
		return "", false
	}
	if flag == '-' {
		return fmt.Sprint(n), true
	}
	if wide == 0 {
		wide = width
	}
	return pad(fmt.Sprint(n), fill), true
}

// timeName serves the conversions that are text.
func timeName(t time.Time, c byte) (string, bool) {
	switch c {
	case 'a':
		return t.Format("Mon"), true
	case 'A':
		return t.Format("Monday"), true
	case 'b':
		return t.Format("Jan"), true
	case 'B':
		return t.Format("January"), true
	case 'p':
		return t.Format("PM"), true
	case 'P':
		return t.Format("pm"), true
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000), true
	case 'z', 'Z':
		return "", true
	case '%':
		return "%", true
	}
	return "", false
}

// timeNumber serves the conversions that are numbers.
func timeNumber(t time.Time, c byte) (n, width int, pad byte, ok bool) {
	isoYear, isoWeek := t.ISOWeek()
	hour12 := (t.Hour()+11)%12 + 1
	weekday := int(t.Weekday())
	switch c {
	case 'C':
		return t.Year() / 100, 2, '0', true
	case 'd':
		return t.Day(), 2, '0', true
	case 'e':
		return t.Day(), 2, ' ', true
	case 'G':
		return isoYear, 4, '0', true
	case 'g':
		return isoYear % 100, 2, '0', true
	case 'H':
		return t.Hour(), 2, '0', true
	case 'I':
		return hour12, 2, '0', true
	case 'j':
		return t.YearDay(), 3, '0', true
	case 'k':
		return t.Hour(), 2, ' ', true
	case 'l':
		return hour12, 2, ' ', true
	case 'M':
		return t.Minute(), 2, '0', true
	case 'm':
		return int(t.Month()), 2, '0', true
	case 'S':
		return t.Second(), 2, '0', true
	case 's':
		return int(t.Unix()), 0, '0', true
	case 'U':
		return (t.YearDay() + 6 - weekday) / 7, 2, '0', true
	case 'u':
		return (weekday+6)%7 + 1, 1, '0', true
	case 'V':
		return isoWeek, 2, '0', true
	case 'W':
		return (t.YearDay() + 6 - (weekday+6)%7) / 7, 2, '0', true
	case 'w':
		return weekday, 1, '0', true
	case 'Y':
		return t.Year(), 0, '0', true
	case 'y':
		return t.Year() % 100, 2, '0', true
	}
	return 0, 0, 0, false
}
