package anthropic

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// signer signs thinking with a key that lives as long as the process. A signature names its key,
// so that one from before a restart is foreign, not false.
type signer struct {
	id  string
	key []byte
}

type verdict uint8

const (
	valid   verdict = iota
	foreign         // signed by another key, or not signed
	altered         // signed by this key, for other text
)

func newSigner() signer {
	return signer{id: rand.Text()[:8], key: []byte(rand.Text())}
}

// sign returns id "." MAC.
func (s signer) sign(text string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(text))
	return s.id + "." + base64.RawStdEncoding.EncodeToString(mac.Sum(nil))
}

func (s signer) check(text, signature string) verdict {
	id, _, _ := strings.Cut(signature, ".")
	switch {
	case id != s.id:
		return foreign
	case hmac.Equal([]byte(s.sign(text)), []byte(signature)):
		return valid
	}
	return altered
}
