package lex

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"strings"
	"testing"
	"time"
)

// formatCases are our own; the official suite, where it is at hand, adds many
// (TestFormat_officialSuite).
var formatCases = map[string]struct{ valid, invalid []string }{
	"date": {
		[]string{"2024-02-29", "2000-02-29", "0000-02-29", "1999-12-31", "0001-01-01"},
		[]string{"2023-02-29", "1900-02-29", "2024-02-30", "2024-04-31", "2024-13-01", "2024-00-10", "2024-1-01", "24-01-01", "2024-01-01T", ""},
	},
	"time": {
		[]string{"00:00:00Z", "23:59:59.123456789z", "12:30:00+05:45", "23:59:60Z", "23:59:60.5+00:00", "23:59:60-00:00"},
		[]string{"24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:00", "12:00:00+24:00", "12:00:60Z", "22:59:60Z", "23:59:60+05:45", "12:00:00.Z", "1:00:00Z", "23:59:60-00:01"},
	},
	"date-time": {
		[]string{"2024-02-29T12:00:00Z", "2024-02-29t12:00:00.1z", "1990-12-31T23:59:60Z", "1937-01-01T12:00:27.87+00:20"},
		[]string{"2024-02-29 12:00:00Z", "2023-02-29T12:00:00Z", "2024-02-29T12:00Z", "2024-02-29T12:00:00", "20240229T120000Z", "2016-12-31T18:59:60Z"},
	},
	"duration": {[]string{"P1Y2M3DT4H5M6S", "P1W", "PT0S", "P1M", "PT1M", "P10D"}, []string{"P", "PT", "P1Y3D", "P1W1D", "PT1H1S", "1D", "P1", "p1d", "PT1.5S"}},
	"uuid":     {[]string{"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000", "FFFFFFFF-ffff-FFFF-ffff-FFFFFFFFFFFF"}, []string{"123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}", "123e4567-e89b-12d3-a456-42661417400g", ""}},
	"ipv4":     {[]string{"0.0.0.0", "255.255.255.255", "1.20.199.249"}, []string{"256.1.1.1", "01.1.1.1", "1.1.1", "1.1.1.1.1", "1.1.1.1 ", "1..1.1"}},
	"ipv6": {
		[]string{"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "fe80::abcd:EF01"},
		[]string{":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "1::2::3", "12345::", "::1.2.3", "::g", "1.2.3.4", "fe80::1%eth0", ""},
	},
	"hostname": {
		[]string{"a", "example.com", "1and1.de", "a-b.c--d", strings.Repeat("a", 63) + ".x", strings.Repeat("a.", 126) + "a", "xn--bcher-kva.example",
			"x", "xn", "xn1", "xn-a", "x-n", "x9", "xn-a--b", "XN--P1AI", "xn--80ak6aa92e", "xn--aa", "xn--9a", "xn--" + strings.Repeat("a", 59), "xn" + strings.Repeat("9", 61)},
		[]string{"", ".", "a.", "x-", "xn-", "xn--", "xn--X", "xn--b9.example", "a.xn--zz", "xn--bcher-", "xn--" + strings.Repeat("a", 60), "xn" + strings.Repeat("9", 62), ".a", "a..b", "-a", "a-", "a_b", strings.Repeat("a", 64), strings.Repeat("a.", 126) + "aa", "bücher.example", "a b"},
	},
	"email": {
		[]string{"a@b", "first.last+tag@sub.example.org", `"odd \" @ one"@example.org`, "x@[127.0.0.1]", "x@[IPv6:::1]", "!#$%&'*+-/=?^_`{|}~@example.org", strings.Repeat("a", 64) + "@b.c", `""@b`},
		[]string{"a", "@b", "a@", ".a@b", "a.@b", "a..b@c", "a@b@c", "a b@c", "a@b_c", "a@-b", "x@[1.2.3]", `"a"b@c`, strings.Repeat("a", 65) + "@b.c", "ä@b.c"},
	},
	"uri": {
		[]string{"a:", "http://example.org", "http://u:p@h:80/p/a?q#f", "mailto:a@b.c", "urn:isbn:1", "file:///etc/x", "http://[::1]:8/", "http://[v1.a:b]/", "x:/a//b", "http://h:/", "s3://b/%20", "a://b?c?d/e#f/?g"},
		[]string{"", "//h/p", "a", "1a:b", "http://h:x/", "http://[::1", "http://a b/", "http://h/%2", "http://h/#a#b", "a:[", "http://h/ü", "a:\\", "http://u@v@h/"},
	},
	"uri-reference": {
		[]string{"", "a", "/", "//h", "//", "./a:b", "a/b:c", "?q", "#f", "../x", "http://h/p", "a%20b", "@"},
		[]string{"a b", "a\\b", "%", "1:b", "//h:x", "#a#b", "é", ":", "{x}"},
	},
	"iri":           {[]string{"http://ä.example/ö?ü#ß", "a:😀", "http://h/?\ue000"}, []string{"ä", "http://h/\ue000", "http://h/ ", "http://h/\u0080", "http://h/#\ue000"}},
	"iri-reference": {[]string{"", "ä", "/ö", "//ü/x", "#ß", "http://h/é"}, []string{"ä b", "\\", "\ufffe", "é:"}},
	"uri-template":  {[]string{"", "a", "{a}", "{+a,b*,c:3}", "/x{?q,r}", "{a.b}", "ä{%41}", "{!x}"}, []string{"{", "}", "{}", "{a", "{a,}", "{a:0}", "{a:10000}", "a b", "{-a}", "<", "{a b}"}},
	"json-pointer":  {[]string{"", "/", "/a/b", "/~0~1", "//", "/ä", "/\n"}, []string{"a", "/~", "/~2", "#/a", " "}},
	"regex": {
		[]string{"", "a", "^a|b$", "(?:a(b(c(d)))){2,10}?", `[^a-z\-\]]+`, `\d{3}-\d{4}`, `(?=a)b(?!c)`, `^\s*(it|describe)\(\s*['"]([^'"]+)['"]`,
			`[]`, `[^]`, `[a-]`, `[-a]`, `[a-z0-9-_.]`, `[\w-.]`, `[\w.-]`, "a{150,1000}", "a{15,20}", "a{3}", "a{0,}", `\x41\cA\u{1F600}`, "é+", `{a}`, `(a)\1`, `[!-9A-Z]`, "]", "}"},
		[]string{"(", ")", "a)", "(?a)", "*", "a**", "[", "[b-a]", "a{2,1}", `\`, `\q`, `\p{Foo}`, "^*", "a{95,91}", "[z-a]", `[\u0401-\u0400]`, "a{30,4}", `\u12`, "(?P<a>b)", "a{2}{3}", "a|*", "(?i)a"},
	},
	"relative-json-pointer": {[]string{"0", "1/a", "10#", "0/", "2/~0"}, []string{"", "/a", "01", "-1", "1#/a", "1/~", "#"}},
}

func TestFormat(t *testing.T) {
	a := NewArena(Limits{})
	for _, name := range formatNames {
		e, ok := a.Format(name)
		cases := formatCases[name]
		if !ok || len(cases.valid) == 0 {
			t.Errorf("%s: no language or no cases", name)
			continue
		}
		start := a.Start(e)
		for _, v := range cases.valid {
			if !a.Accepting(a.Walk(start, v)) {
				t.Errorf("%s refuses %q", name, v)
			}
		}
		for _, v := range cases.invalid {
			if a.Accepting(a.Walk(start, v)) {
				t.Errorf("%s accepts %q", name, v)
			}
		}
		if w := a.shortest(start); len(w) != a.MinBytes(start) || !a.Accepting(a.Walk(start, string(w))) {
			t.Errorf("%s: shortest %q", name, w)
		}
	}
	if a.Err() != nil {
		t.Error(a.Err())
	}
	for _, name := range []string{"idn-hostname", "idn-email", "color", ""} {
		if _, ok := a.Format(name); ok {
			t.Errorf("%s is offered", name)
		}
	}
}

// TestFormat_allDates compares date with the calendar of package time, for every date-like text of
// some years.
func TestFormat_allDates(t *testing.T) {
	a := NewArena(Limits{})
	e, _ := a.Format("date")
	start := a.Start(e)
	for _, year := range []string{"0000", "0400", "1900", "1999", "2000", "2024", "2100", "9996"} {
		for md := range 10_000 {
			text := year + "-" + string([]byte{byte('0' + md/1000), byte('0' + md/100%10), '-', byte('0' + md/10%10), byte('0' + md%10)})
			_, err := time.Parse("2006-01-02", text)
			if got := a.Accepting(a.Walk(start, text)); got != (err == nil) {
				t.Fatalf("%s: %v, want %v", text, got, err == nil)
			}
		}
	}
}

// suiteDeviates picks the invalid cases of the official suite that rest on Punycode, which is
// beyond an automaton, and the valid leap seconds that are not written in UTC.
func suiteDeviates(format, text string, valid bool) bool {
	switch format {
	case "hostname":
		return !valid && strings.Contains(strings.ToLower(text), "xn--")
	case "time", "date-time":
		return valid && strings.Contains(text, ":60") && !strings.Contains(text, "23:59:60")
	}
	return false
}

func TestFormat_officialSuite(t *testing.T) {
	file, err := os.Open("../../../shared/data/schemas/json-schema-test-suite.tar.gz")
	if err != nil {
		t.Skip("the official test suite is not at hand: " + err.Error())
	}
	defer func() { _ = file.Close() }() // it was only read
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	a := NewArena(Limits{})
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		format := strings.TrimSuffix(path.Base(header.Name), ".json")
		if e, ok := a.Format(format); ok && strings.Contains(header.Name, "/optional/format/") && !strings.Contains(header.Name, "draft3") {
			content, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			checkSuite(t, a, e, header.Name, content)
		}
	}
}

func checkSuite(t *testing.T, a *Arena, e Expr, name string, content []byte) {
	t.Helper()
	var groups []struct {
		Tests []struct {
			Description string
			Data        any
			Valid       bool
		}
	}
	if err := json.Unmarshal(content, &groups); err != nil {
		t.Fatal(err)
	}
	format := strings.TrimSuffix(path.Base(name), ".json")
	start := a.Start(e)
	for _, g := range groups {
		for _, c := range g.Tests {
			text, ok := c.Data.(string)
			if !ok || suiteDeviates(format, text, c.Valid) {
				continue
			}
			if got := a.Accepting(a.Walk(start, text)); got != c.Valid {
				t.Errorf("%s: %s: %q is %v", name, c.Description, text, got)
			}
		}
	}
}

// TestFormat_besideAPatternCostsLittle: it takes little work to decide whether a time can still
// match a pattern somewhere.
func TestFormat_besideAPatternCostsLittle(t *testing.T) {
	for _, pattern := range []string{`\d\d\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`, `T.*T`, `[+-]\d\d:\d\d$`, `^(?!.*:60)`, `\.\d{6}`} {
		a := NewArena(Limits{Work: 30_000})
		p, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := a.Format("date-time")
		s := a.Start(a.Intersect(p, f))
		a.Walk(s, "2016-01-05T16:51:00.123456Z")
		a.Walk(s, "2016-01-05t23:59:60+00:00")
		if a.Err() != nil {
			t.Errorf("%s: %v", pattern, a.Err())
		}
	}
}

// TestSearch_besideACounterCostsLittle: a format intersected with a pattern has a state for each
// count of its counters, and whether each is live takes little work.
func TestSearch_besideACounterCostsLittle(t *testing.T) {
	const letters = 50
	for _, c := range []struct {
		format, pattern string
		most            int // derivatives, for each letter
	}{
		{"email", `^.*?@.*$`, 45},
		{"hostname", `-.*-x`, 95},
	} {
		a := NewArena(Limits{})
		p, err := a.Regex(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := a.Format(c.format)
		s := a.Walk(a.Start(a.Intersect(p, f)), "http")
		before := a.Derived()
		for range letters {
			s = a.Step(s, 'a')
		}
		if n := a.Derived() - before; s == Dead || n > letters*c.most {
			t.Errorf("%s beside %s: %d derivatives for %d letters", c.format, c.pattern, n, letters)
		}
	}
}

// TestFormat_referenceListsEach: a format that is decided is in the table of the reference.
func TestFormat_referenceListsEach(t *testing.T) {
	text, err := os.ReadFile("../GBNF.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range formatNames {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("GBNF.md does not tell what %s means", name)
		}
	}
}
