package grammar

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tenon/grammar/grammartest"
	"tenon/models/gguf"
)

const (
	caseTexts  = 2     // instances of a schema at most, and as many walks
	casePlaces = 8     // of a text at most
	caseMasks  = 1_000 // of a text, from which these are chosen
	fewTokens  = 64    // masks of fewer are of one kind
	caseLength = 6_000 // bytes of a text that are looked at
)

// sortedVocab is a real vocabulary with the tokens that stand for text in the order of their
// texts.
type sortedVocab struct {
	*Vocab
	name  string
	order []int32
}

// randomRealVocab is one of byte-level BPE or of SentencePiece; the seed of make test-corpus
// decides.
func randomRealVocab(t *testing.T) *sortedVocab {
	t.Helper()
	names := []string{"llama-bpe", "llama-spm", "gemma-4"}
	name := names[randOf(t, "vocabulary").IntN(len(names))]
	f, err := gguf.Open(grammartest.Shared(t, "data/vocab/ggml-vocab-"+name+".gguf"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := FromGGUF(f)
	if err != nil {
		t.Fatal(err)
	}
	s := &sortedVocab{Vocab: v, name: name}
	for id := range int32(v.Len()) {
		if v.Text(id) {
			s.order = append(s.order, id)
		}
	}
	slices.SortFunc(s.order, func(a, b int32) int { return bytes.Compare(v.Piece(a), v.Piece(b)) })
	return s
}

// maskCase is a schema whose masks are compared, under some options.
type maskCase struct {
	grammartest.Case
	o     SchemaOptions
	v     *sortedVocab
	rng   *rand.Rand
	judge *jsonschema.Schema // may be nil
	plain *Grammar           // has never made a mask

	failed bool
}

// caseOptions are the choices under which masks are compared.
var caseOptions = []SchemaOptions{
	{},
	{Space: NoSpace, Numbers: CanonicalNumbers},
	{Space: BoundedSpace, Escapes: CommonEscapes, Numbers: CanonicalNumbers},
	{Space: BoundedSpace, Order: DeclaredOrder, Escapes: CanonicalEscapes, Numbers: CanonicalNumbers},
}

// newMaskCase chooses what else is to be known of a schema; false if it cannot be compiled.
func newMaskCase(t *testing.T, s grammartest.Case, v *sortedVocab) (*maskCase, bool) {
	t.Helper()
	rng := randOf(t, s.Name)
	c := &maskCase{Case: s, v: v, rng: rng, o: caseOptions[rng.IntN(len(caseOptions))]}
	if _, err := FromSchema(s.Schema, c.o); err != nil {
		return nil, false
	}
	c.plain, c.judge = c.grammar(t), grammartest.Oracle(t, s.Schema)
	return c, true
}

// grammar compiles the schema anew: nothing is left of what others have learned of it.
func (c *maskCase) grammar(t *testing.T) *Grammar {
	t.Helper()
	DropCaches()
	g, err := FromSchema(c.Schema, c.o)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return g
}

// fail reports a defect, and at first how to see it again.
func (c *maskCase) fail(t *testing.T, format string, args ...any) {
	t.Helper()
	if !c.failed {
		t.Errorf("%s, %s, %+v: again with %s", c.Name, c.v.name, c.o, again(c.Name))
	}
	c.failed = true
	t.Errorf(format, args...)
}

// texts are instances and what random walks write, as far as the grammar accepts them.
func (c *maskCase) texts(m *Matcher) (list [][]byte) {
	for _, i := range c.rng.Perm(len(c.Tests))[:min(len(c.Tests), caseTexts)] {
		text := []byte(spelling{}.Spell(c.Tests[i].Data))
		list = append(list, text[:acceptedBytes(m.Clone(), text[:min(len(text), caseLength)])])
	}
	for range caseTexts {
		list = append(list, c.walk(m.Clone()))
	}
	return list
}

// acceptedBytes is how much of a text a matcher accepts.
func acceptedBytes(m *Matcher, text []byte) int {
	for i := range text {
		if m.AcceptBytes(text[i:i+1]) != nil {
			return i
		}
	}
	return len(text)
}

// walk picks tokens freely, but few of those that are words: most are, and would keep the walk
// inside of a string.
func (c *maskCase) walk(m *Matcher) (text []byte) {
	for range 5 + c.rng.IntN(60) {
		mask := m.Mask()
		if mask.Len() == 0 {
			return text // it is compared, and the mask found empty
		}
		token := anyToken(mask, c.v.Vocab, c.rng)
		for try := 0; try < 4 && !bytes.ContainsAny(c.v.Piece(token), `"{}[],:0123456789`); try++ {
			token = anyToken(mask, c.v.Vocab, c.rng)
		}
		if c.v.IsEOG(token) || m.Accept(token) != nil {
			return text
		}
		text = append(text, c.v.Piece(token)...)
	}
	return text
}

// place is what tells places of a text apart: what they are inside of, and how many tokens a mask
// has there, if they are not few.
type place struct {
	where  string
	tokens int
}

// places are some lengths of a text, in places that differ as far as there are so many.
func (c *maskCase) places(m *Matcher, text []byte) (list []int) {
	m = m.Clone()
	found := map[place][]int{}
	var kinds []place
	for i := 0; ; i++ {
		if i == 0 || c.rng.IntN(len(text)) < caseMasks {
			kind := place{m.Where(), m.Mask().Len()}
			if kind.tokens < fewTokens {
				kind.tokens = 0
			}
			if found[kind] == nil {
				kinds = append(kinds, kind)
			}
			found[kind] = append(found[kind], i)
		}
		if i == len(text) || m.AcceptBytes(text[i:i+1]) != nil {
			break
		}
	}
	c.rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	for i := range casePlaces {
		at := found[kinds[i%len(kinds)]]
		list = append(list, at[c.rng.IntN(len(at))])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// errNoEnd says that what was written cannot be ended.
var errNoEnd = errors.New("there is no end")

// end goes on with a text to an end, over a vocabulary of bytes, with which that costs little.
func (c *maskCase) end(m *Matcher, text []byte) ([]byte, error) {
	if err := m.AcceptBytes(text); err != nil {
		return text, err
	}
	for far := len(text) + wholeFar; !m.Done(); {
		mask := m.MaskWithin(m.Distance())
		if mask.Len() == 0 || len(text) > far {
			return text, errNoEnd
		}
		next := randomToken(mask, m.v, c.rng)
		// white space goes on without end
		for try := 0; try < 3 && len(bytes.TrimSpace(m.v.Piece(next))) == 0; try++ {
			next = randomToken(mask, m.v, c.rng)
		}
		if err := m.Accept(next); err != nil {
			return text, fmt.Errorf("allowed and refused: %w", err)
		}
		text = append(text, m.v.Piece(next)...)
	}
	return text, nil
}

// randOf picks something for a schema, always the same; for make test-corpus, what its seed
// decides.
func randOf(t testing.TB, name string) *rand.Rand {
	t.Helper()
	seed, _ := strconv.ParseUint(os.Getenv(grammartest.SeedEnv), 10, 64) // none is 0
	h := fnv.New64()
	_, _ = h.Write([]byte(name)) // never fails
	return rand.New(rand.NewPCG(h.Sum64(), seed))
}

// again is what leads a test to one schema, with the same choices of randOf.
func again(name string) string {
	return fmt.Sprintf("%s='^%s$' %s=%s", grammartest.AllEnv, regexp.QuoteMeta(name), grammartest.SeedEnv, os.Getenv(grammartest.SeedEnv))
}
