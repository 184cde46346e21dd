package machine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
)

// TestCompile_refusesWhatItCannotRead: what is wrong is said, with the rule or the expression.
func TestCompile_refusesWhatItCannotRead(t *testing.T) {
	for src, want := range map[string]string{
		`root ::= %regex "("`:                                               `regular expression "("`,
		`root ::= %regex "a)|(b"`:                                           `regular expression "a)|(b"`,
		`root ::= %regex "(" | %regex ")"`:                                  `regular expression "("`,
		"root ::=" + strings.Repeat(" [ab]{100000}", 11):                    "too large",
		"root ::= x \"a\"\nx ::= y | \"b\"\ny ::= x \"c\" | \"d\"":          "left recursive",
		"root ::= x \"a\"\nx ::= e x \"a\" | \"b\"\ne ::= \"c\"?":           `"x" is left recursive`,
		"root ::= x \"a\"\nx ::= (\"c\"? \"d\"*) x \"a\" | \"b\"":           `"x" is left recursive`,
		"root ::= x\nx ::= %each(\",\" | y \"a\" | \"b\")\ny ::= x | \"d\"": "left recursive",
		`root ::= %each("," | ("a"? "b"?))`:                                 "a part of %each can be empty",
	} {
		g, err := gbnf.Read(src)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(g, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: the error is %v", src, err)
		}
	}
}

// TestMachine_limitsAreTold: where there is too much to go on with, everything is refused, and the
// machine says why.
func TestMachine_limitsAreTold(t *testing.T) {
	row, text := "row ::=", "x"
	for i := range 4000 {
		row, text = row+fmt.Sprintf(" \"%04d\"?", i), text+fmt.Sprintf("%04d", i)
	}
	m := compiled(t, "root ::= \"x\" row\nother ::= \"z\"\n"+row+"\nlast ::= other", false)
	id, _ := m.Walk(m.Start(), []byte(text))
	if id != Stuck || !errors.Is(m.Err(), ErrTooComplex) || !strings.Contains(m.Err().Error(), `"row"`) {
		t.Errorf("a row of thousands that may be left out: %v, %v", id, m.Err())
	}
	if err := m.Prepare(); !errors.Is(err, ErrTooComplex) {
		t.Errorf("beyond the limit it is prepared: %v", err)
	}
	double := "root ::= x0 \"!\"\n"
	for i := range 20 {
		double += fmt.Sprintf("x%d ::= x%d? x%d?\n", i, i+1, i+1)
	}
	g, err := gbnf.Read(double + `x20 ::= "a"`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(g, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	m = New(p, nil, false)
	if err := m.Prepare(); !errors.Is(err, ErrTooComplex) || m.closed > maxClosed/2 {
		t.Errorf("rules that call each other twice: %v, having looked at %d bytes of ways", err, m.closed)
	}
}

// TestMachine_tooManyWaysAreRefused: one byte leads to more threads than are followed.
func TestMachine_tooManyWaysAreRefused(t *testing.T) {
	var ways, rules strings.Builder
	for i := range maxThreads + 1 {
		fmt.Fprintf(&ways, " | x%d", i)
		fmt.Fprintf(&rules, "x%d ::= [b] \"%d\"\n", i, i)
	}
	src := `root ::= "a" ("c"` + ways.String() + ")\n" + rules.String()
	m := compiled(t, src, false)
	if id, _ := m.Walk(m.Start(), []byte("ab")); id != Stuck || !errors.Is(m.Err(), ErrAmbiguous) {
		t.Errorf("configuration %d, %v", id, m.Err())
	}
}

// TestMachine_capturesOfNothingAreBounded: rules that read nothing hold captures by the thousand.
func TestMachine_capturesOfNothingAreBounded(t *testing.T) {
	src := "root ::= \"a\" x0\n"
	for i := range 12 {
		src += fmt.Sprintf("x%d ::= x%d x%d\n", i, i+1, i+1)
	}
	src += `x12 ::= c:( "" )`
	m := compiled(t, src, true)
	for rule := range m.prog.rules {
		if n := len(m.emptyMarks(int32(rule))); n > maxEmptyMarks {
			t.Errorf("rule %d has %d marks", rule, n)
		}
	}
	if m := compiled(t, "root ::= x \"a\"\nx ::= c:( \"\" )", false); len(m.empties) > 0 {
		t.Error("they are looked for where none is told")
	}
}

// TestMachine_terminalsThatCannotBeMade: what is wrong with a terminal is told.
func TestMachine_terminalsThatCannotBeMade(t *testing.T) {
	m := compiled(t, `root ::= "a"`, false)
	for want, n := range map[string]*gbnf.Node{
		"markers of 5000 bytes":  {Op: gbnf.Until, Markers: []string{strings.Repeat("x", 5000)}},
		`regular expression "("`: {Op: gbnf.Quoted, Text: "("},
		"missing":                {Op: gbnf.Regex, Text: "("},
		"has no automaton":       {Op: gbnf.Literal, Text: "a"},
	} {
		if _, err := m.compileSub(n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, the error is %v", want, err)
		}
	}
	g, err := gbnf.Read(`root ::= %until("` + strings.Repeat("x", 5000) + `")`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(g, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := New(p, nil, false).Prepare(); err == nil || !strings.Contains(err.Error(), "terminal 0") {
		t.Errorf("markers that are too long: %v", err)
	}
}

// TestCompile_stopsAtAnError: nothing is built behind it.
func TestCompile_stopsAtAnError(t *testing.T) {
	b := &builder{p: &Program{states: make([]state, 1)}, classIDs: map[lex.ByteSet]int32{}, err: errors.New("x")}
	b.repeat(&gbnf.Node{Op: gbnf.Repeat, Min: 10, Max: 1000, Kids: []*gbnf.Node{{Op: gbnf.Literal, Text: "a"}}}, 0)
	if n := len(b.p.states); n > 3 {
		t.Errorf("%d states", n)
	}
}

// TestCompile_writesFewRulesOut: rules of choices within choices are not written out without end.
func TestCompile_writesFewRulesOut(t *testing.T) {
	src := "root ::= x0 | \"z\"\n"
	for i := range 8 {
		src += fmt.Sprintf("x%d ::= \"a\"", i)
		next := fmt.Sprintf("x%d", i+1)
		src += ` ("b" ` + next + ` | "c" ` + next + ` | "d" ` + next + ` | "e" ` + next + " | \"f\")\n"
	}
	if n := len(compiled(t, src+`x8 ::= "a"`, false).prog.states); n > 100_000 {
		t.Errorf("%d states", n)
	}
}

// TestCompile_schemasAreToldApartByNumber: not by their texts, which are long.
func TestCompile_schemasAreToldApartByNumber(t *testing.T) {
	b := &builder{p: &Program{}, subIDs: map[string]int32{}, subNodes: map[*gbnf.Node]int32{}}
	for _, n := range []*gbnf.Node{{Op: gbnf.JSON, Text: `{"type":"object"}`}, {Op: gbnf.Plain, Text: `{"type":"string"}`}} {
		if got := b.identity(n); len(got) > 5 {
			t.Errorf("%s is %q", n.Text, got)
		}
		if made := testing.AllocsPerRun(10, func() { b.subID(n) }); made > 0 {
			t.Errorf("%s is written out each time", n.Text)
		}
	}
}

// TestMachine_threadsAreMergedInOneOrder: in whatever order they come, threads that read on alike
// are one, and lists of the same threads are the same.
func TestMachine_threadsAreMergedInOneOrder(t *testing.T) {
	m := compiled(t, `root ::= "a"`, false)
	var all []thread
	for i := range 32 {
		bit := func(n int) int32 { return int32(i >> n & 1) }
		all = append(all, thread{def: kindDef(1 + bit(0)), st: bit(1), aux: bit(2), rec: textID(bit(3)), stack: m.stacks.push(noStack, frame{st: bit(4)})})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var first []thread
	for range 20 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		got := m.normalise(slices.Clone(all))
		if first == nil {
			first = got
		}
		if len(got) != 16 || !slices.Equal(got, first) {
			t.Fatalf("%d threads: %v, then %v", len(got), first, got)
		}
	}
}

// TestMachine_closuresAreFoundOnce: what may come next in a state is looked for once.
func TestMachine_closuresAreFoundOnce(t *testing.T) {
	m := compiled(t, `root ::= ("a"? "b"?)* "!"`, false)
	after(t, m, "abba")
	closed := m.closed
	if after(t, m, strings.Repeat("ab", 100)); m.closed != closed {
		t.Errorf("closures take %d bytes, then %d", closed, m.closed)
	}
}

// TestCompile_makesFewStates: what needs no states of its own has none.
func TestCompile_makesFewStates(t *testing.T) {
	for _, c := range []struct{ src, like string }{
		{`root ::= a:( "x" | b:( "yz" ) )`, `root ::= "x" | "yz"`},
		{`root ::= a:( "x" b:( "yz" ) )`, `root ::= "xyz"`},
		{`root ::= "x" "z"{0} "y"`, `root ::= "xy"`},
		{"root ::= x | \"q\"\nx ::= \"a\" (x \"1\" | \"c\")", "root ::= x | \"qqqqqqqqqqqqq\"\nx ::= \"a\" (y \"1\" | \"c\")\ny ::= [a] (y \"1\" | \"c\")"},
	} {
		if got, want := len(compiled(t, c.src, false).prog.states), len(compiled(t, c.like, false).prog.states); got > want {
			t.Errorf("%q takes %d states, %q takes %d", c.src, got, c.like, want)
		}
	}
	for src, rules := range map[string]int{
		`root ::= "a"{5}`: 1, `root ::= "ab"{5} "c" "ab"{7}`: 2, `root ::= "ab"? "ab"*`: 1, `root ::= ("ab" "c"){5}`: 2, `root ::= ("a" | "b"){5}`: 2,
		`root ::= ([a] [b]){5}`: 2, `root ::= ("a"?){5}`: 2, `root ::= a:( "b" ){5}`: 2, `root ::= [ab]{5} <|s|>{5} (%regex "a"){5}`: 1,
	} {
		if got := len(compiled(t, src, false).prog.rules); got != rules {
			t.Errorf("%q takes %d rules, want %d", src, got, rules)
		}
	}
}

// read gives a text to a new reader, in which a symbol stands between two bytes 0.
func read(t *testing.T, src, text string) (*Reader, error) {
	t.Helper()
	r := NewReader(compiled(t, src, true))
	for i, part := range strings.Split(text, "\x00") {
		feed := func() error { _, err := r.Feed([]byte(part)); return err }
		if i%2 == 1 {
			feed = func() error { return r.FeedSymbol(part) }
		}
		if err := feed(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// told writes events as a text.
func told(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		switch e.Kind {
		case Begin:
			b.WriteString(e.Name + "(")
		case End:
			b.WriteString(")" + e.Name)
		case Check:
			b.WriteString("%")
		case Symbol:
			b.WriteString("<" + e.Name + ">")
		default:
			b.Write(e.Bytes)
		}
	}
	return b.String()
}

// TestReader_tellsWhatWasRead: what is told before the end, and what at it.
func TestReader_tellsWhatWasRead(t *testing.T) {
	for name, c := range map[string]struct{ src, text, before, atEnd string }{
		"captures of nothing":            {"root ::= x y \"a\"\nx ::= c:( \"\" )\ny ::= (d:( \"z\"? ))", "a", "c()cd()d", ""},
		"captures of nothing, preferred": {"root ::= \"a\" x\nx ::= (c:( \"\" ) | d:( \"\" )) %check y\ny ::= \"\"", "a", "", "c()c%"},
		"captures of empty rules":        {"root ::= c:( x ) \"a\"\nx ::= y z | \"b\"\ny ::= d:( \"\" )\nz ::= e:( \"q\"* )", "a", "c(d()de()e)c", ""},
		"captures behind what was not":   {"root ::= c:( x ) \"a\"\nx ::= \"b\" | d:( \"\" )", "a", "c(d()d)c", ""},
		"captures of a way that ends":    {"root ::= x \"a\"\nx ::= c:( \"\" ) \"b\" | d:( \"\" )", "a", "d()d", ""},
		"captures in a loop":             {`root ::= (c:( [a-z] ) | d:( [0-9] ))* "!"`, "a1!", "c(a)cd(1)d", ""},
		"symbols within":                 {`root ::= <|s|> c:( "a" <|s|> "b" ) <|s|>`, "\x00<|s|>\x00a\x00<|s|>\x00b\x00<|s|>\x00", "c(a<<|s|>>b)c", ""},
		"symbols without":                {`root ::= <|s|> "a" <|s|>`, "\x00<|s|>\x00a\x00<|s|>\x00", "", ""},
		"a check":                        {`root ::= c:( "a" ) %check "b"`, "ab", "c(a)c%", ""},
		"the same in two ways":           {`root ::= c:( "a" ) "x" | c:( "a" ) "y"`, "a", "c(a)c", ""},
		"longer in one way":              {`root ::= c:( "ab" ) | c:( "a" ) "bc"`, "ab", "c(a", "b)c"},
		"the end of a rule":              {"root ::= c:( x ) \"!\"\nx ::= \"a\" d:( \"b\" )?", "a!", "c(a)c", ""},
		"the end of a rule, at once":     {"root ::= c:( x ) \"!\"\nx ::= [a] [b]", "ab", "c(ab)c", ""},
		"a rule that ends with a mark":   {"root ::= c:( x )\nx ::= \"a\"* d:( \"b\"? )", "aa", "c(aa", "d()d)c"},
		"alike, but elsewhere":           {`root ::= "a" c:( "a"* ) | "aa" c:( "a"* )`, "aa", "", "c(a)c"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := read(t, c.src, c.text)
			if err != nil {
				t.Fatal(err)
			}
			events := r.Events()
			if got := told(events); got != c.before {
				t.Errorf("told %q, want %q", got, c.before)
			}
			if slices.ContainsFunc(events, func(e Event) bool { return e.Kind == Bytes && len(e.Bytes) == 0 }) {
				t.Error("a text of no bytes is told")
			}
			done := r.Done()
			err = r.Close()
			if done != (err == nil) {
				t.Errorf("it may end: %v, and the end is %v", done, err)
			}
			if got := told(r.Events()); err == nil && got != c.atEnd {
				t.Errorf("told %q at the end, want %q", got, c.atEnd)
			}
			if err == nil && (r.Close() != nil || told(r.Events()) != "") {
				t.Error("the second end is another")
			}
		})
	}
}

// TestReader_followsFewWays: ways that differ in nothing are one, and too many are refused.
func TestReader_followsFewWays(t *testing.T) {
	r, err := read(t, `root ::= ("a" | [a-c] | [ab])* "!"`, "aaaaaaaaaaaaaaaaaaaa")
	if err != nil || len(r.threads) != 1 {
		t.Errorf("%d ways, %v", len(r.threads), err)
	}
	if _, err := read(t, `root ::= (c:( "a" ) | d:( "a" ) | e:( "aa" ))*`, strings.Repeat("a", 100)); err != nil {
		t.Error(err)
	}
	if err := r.FeedSymbol("s"); !errors.Is(err, ErrRefused) {
		t.Errorf("a symbol that the grammar does not name: %v", err)
	}
	if err := r.Close(); !errors.Is(err, ErrEndsEarly) {
		t.Errorf("an end before the end: %v", err)
	}
	if d := r.Distance(); d != 1 {
		t.Errorf("the end is %d bytes away", d)
	}
}

// TestMachine_checksAreReached: a check is where it stands, also behind white space that may come.
func TestMachine_checksAreReached(t *testing.T) {
	for src, texts := range map[string]map[string]bool{
		`root ::= "ab" %check "c"`:                                    {"a": false, "ab": true, "abc": false},
		`root ::= "<" %json{"const":"x"} %check ">"`:                  {"<\"x": false, "<\"x\"": true, "<\"x\" ": true, "<\"x\" >": false},
		`root ::= "<" %json{"const":1} ">" %check`:                    {"<1 ": false, "<1>": true},
		"root ::= x \"!\"\nx ::= \"<\" %json{\"const\":\"x\"} %check": {"<\"x\"": true, "<\"x\"!": false},
		`root ::= "<" %json{"const":"x"}[space=none] %check ">"`:      {"<\"x": false, "<\"x\"": true},
		`root ::= "<" %json{"const":1}[space=none] c:( "x" ) %check`:  {"<1": false, "<1x": true},
	} {
		m := compiled(t, src, false)
		for text, want := range texts {
			if got := m.AtCheck(after(t, m, text)); got != want {
				t.Errorf("%s: behind %q at a check: %v", src, text, got)
			}
		}
	}
}

// TestStacks_unionsAreSets: unions of sets of stacks are one however they were made, and what lies
// below equal frames is united.
func TestStacks_unionsAreSets(t *testing.T) {
	s := newStacks()
	at := func(st int32, below stackID) stackID { return s.push(below, frame{def: defRule, st: st}) }
	a, b, c := at(1, noStack), at(2, noStack), at(3, noStack)
	all := s.union(s.union(a, b), c)
	for _, other := range []stackID{s.union(a, s.union(c, b)), s.union(s.union(b, a), s.union(a, c)), s.union(all, b), s.union(all, all)} {
		if other != all {
			t.Errorf("one set is %v and %v", s.of(all), s.of(other))
		}
	}
	if got, want := s.union(at(9, a), at(9, b)), at(9, s.union(a, b)); got != want {
		t.Errorf("below one frame: %v, want %v", s.of(got), s.of(want))
	}
	other := at(4, noStack)
	s.union(a, other)
	known := len(s.unions)
	if s.union(other, a); len(s.unions) != known {
		t.Error("a union is made twice")
	}
	s.unions[[2]stackID{min(a, all), max(a, all)}] = b
	if got := s.union(a, all); got != b {
		t.Errorf("a known union is made anew, as %v", s.of(got))
	}
	if got := s.of(s.union(a, noStack)); len(got) != 2 {
		t.Errorf("with the empty stack: %v", got)
	}
	list := []member{{entry: s.of(at(9, a))[0]}, {entry: s.of(at(9, b))[0]}, {entry: s.of(c)[0]}}
	slices.SortFunc(list, func(x, y member) int { return compareFrames(x.frame, y.frame) })
	if got, want := s.ofMembers(list), s.union(s.union(at(9, a), at(9, b)), c); got != want {
		t.Errorf("of members: %v, want %v", s.of(got), s.of(want))
	}
}

// TestMachine_tellsWhereItIs: the kinds of automata that a configuration is in.
func TestMachine_tellsWhereItIs(t *testing.T) {
	for _, c := range []struct{ src, text, want string }{
		{`root ::= %json{"type":"string"}`, `"a`, "string"},
		{`root ::= %json{"type":"string","maxLength":3}`, `"a`, "bounded string"},
		{`root ::= %regex "ab" | "a"`, `a`, "end, word"},
		{`root ::= %json{"type":"string","maxLength":3} "x" | %json{"type":"string","maxLength":2}`, `"a`, "bounded string"},
	} {
		m := compiled(t, c.src, false)
		if got := m.Where(after(t, m, c.text)); got != c.want {
			t.Errorf("%s: behind %q in %q, want %q", c.src, c.text, got, c.want)
		}
	}
}
