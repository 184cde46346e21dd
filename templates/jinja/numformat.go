package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// numberSpec is a format specification: [[fill]align][sign][z][#][0][width][grouping][.precision].
type numberSpec struct {
	fill      string
	align     byte // < > ^ =, 0 for the default
	sign      byte // + - space, 0 for -
	alt, zero bool
	plain     bool // z: what rounds to zero has no minus
	width     int
	group     string // "," or "_" between groups of digits
	precision int    // -1 where not given
	typ       byte
}

// numberAlign makes zero padding go between sign and digits, unless there is an alignment.
func numberAlign(s numberSpec) numberSpec {
	if s.zero && s.align == 0 {
		s.align, s.fill = '=', "0"
	}
	return s
}

// align pads s to the width, in characters.
func (rt *runtime) align(s *Str, spec numberSpec, def byte) *Str {
	n := spec.width - s.length()
	if n <= 0 {
		return s
	}
	a := spec.align
	if a == 0 {
		a = def
	}
	fill := trusted(spec.fill)
	switch a {
	case '<':
		return rt.pad(s, 0, n, fill)
	case '^':
		return rt.pad(s, n/2, n-n/2, fill)
	case '=':
		i := signLen(s.text)
		return joinStrs(emptyStr, []*Str{s.slice(0, i), rt.pad(emptyStr, n, 0, fill), s.slice(i, len(s.text))})
	}
	return rt.pad(s, n, 0, fill)
}

// signLen is the length of a number's sign and base prefix.
func signLen(s string) int {
	i := 0
	if s != "" && strings.IndexByte("+- ", s[0]) >= 0 {
		i = 1
	}
	if len(s) > i+1 && s[i] == '0' && strings.IndexByte("xXobB", s[i+1]) >= 0 {
		i += 2
	}
	return i
}

func (s numberSpec) signOf(negative bool) string {
	switch {
	case negative:
		return "-"
	case s.sign == '+' || s.sign == ' ':
		return string(s.sign)
	}
	return ""
}

// integer formats an int; typ is d, b, o, x or X.
func (s numberSpec) integer(n *big.Int, typ byte) string {
	base, prefix := 10, ""
	switch typ {
	case 'b':
		base, prefix = 2, "0b"
	case 'o':
		base, prefix = 8, "0o"
	case 'x':
		base, prefix = 16, "0x"
	case 'X':
		base, prefix = 16, "0X"
	}
	if base == 10 && n.BitLen() > 64 {
		bigInt{n}.text() // refuses what has too many digits
	}
	text := new(big.Int).Abs(n).Text(base)
	if typ == 'X' {
		text = strings.ToUpper(text)
	}
	if s.precision > len(text) { // only in percent formatting
		text = strings.Repeat("0", s.precision-len(text)) + text
	}
	if !s.alt {
		prefix = ""
	}
	sign := s.signOf(n.Sign() < 0) + prefix
	return sign + s.grouped(text, len(sign), base)
}

// grouped puts separators between digits, counting zeros that pad to the width as digits.
func (s numberSpec) grouped(digits string, taken, base int) string {
	if s.group == "" {
		return digits
	}
	size := 3
	if base != 10 {
		size = 4
	}
	whole, rest := digits, ""
	if i := strings.IndexAny(digits, ".e%"); i >= 0 && base == 10 {
		whole, rest = digits[:i], digits[i:]
	}
	if s.align == '=' && s.fill == "0" {
		// As many digits as fit with their separators; one more where a separator would come
		// first.
		want := s.width - taken - len(rest)
		whole = strings.Repeat("0", max(want-(want-1)/(size+1)-len(whole), 0)) + whole
	}
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%size == 0 {
			b.WriteString(s.group)
		}
		b.WriteByte(whole[i])
	}
	return b.String() + rest
}

// float formats a float; typ is one of e E f F g G %.
func (s numberSpec) float(f float64, typ byte) string {
	precision := s.precision
	if precision < 0 {
		precision = 6
	}
	suffix := ""
	if typ == '%' {
		f, typ, suffix = f*100, 'f', "%"
	}
	negative := math.Signbit(f) && !math.IsNaN(f)
	var text string
	switch {
	case math.IsNaN(f):
		text = "nan"
	case math.IsInf(f, 0):
		text = "inf"
	default:
		text = s.digits(math.Abs(f), typ, precision)
	}
	if s.plain && strings.Trim(text, "0.") == "" {
		negative = false
	}
	if typ >= 'A' && typ <= 'Z' {
		text = strings.ToUpper(text)
	}
	sign := s.signOf(negative)
	return sign + s.grouped(text+suffix, len(sign), 10)
}

func (s numberSpec) digits(f float64, typ byte, precision int) string {
	switch lowerByte(typ) {
	case 'f':
		text := strconv.FormatFloat(f, 'f', precision, 64)
		if s.alt && precision == 0 {
			text += "."
		}
		return text
	case 'e':
		text := strconv.FormatFloat(f, 'e', precision, 64)
		if s.alt && precision == 0 {
			text = strings.Replace(text, "e", ".e", 1)
		}
		return text
	}
	if s.alt {
		return fmt.Sprintf("%#.*g", max(precision, 1), f)
	}
	return shortest(f, max(precision, 1))
}

// shortest is C's %g: an exponent only where the number is very small or needs more digits than
// the precision.
func shortest(f float64, precision int) string {
	text := strconv.FormatFloat(f, 'e', precision-1, 64)
	exp, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	if exp >= -4 && exp < precision {
		text = strconv.FormatFloat(f, 'f', precision-1-exp, 64)
		return trimZeros(text)
	}
	i := strings.IndexByte(text, 'e')
	return trimZeros(text[:i]) + text[i:]
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// asciiOnly escapes what is not ASCII, as Python's ascii() does.
func asciiOnly(s string) []byte {
	var b []byte
	for _, r := range s {
		switch {
		case r < 0x80:
			b = append(b, byte(r))
		case r < 0x100:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return b
}
