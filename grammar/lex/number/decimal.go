package number

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

const (
	maxDigits  = 1100 // of bounds and divisors; 1e308 has 309
	maxModulus = 1_000_000_000_000_000_000
)

var errNotDecimal = errors.New("not a finite decimal")

// bound is one end of an interval.
type bound struct {
	at   *big.Rat // nil for none
	open bool
}

// only says whether a lower and an upper bound leave one number.
func (b bound) only(upper bound) bool {
	return b.at != nil && upper.at != nil && !b.open && !upper.open && b.at.Cmp(upper.at) == 0
}

// tighten returns the stricter of two bounds; side is 1 for lower ones and -1 for upper ones.
func (b bound) tighten(c bound, side int) bound {
	if b.at == nil || c.at.Cmp(b.at) == side || c.at.Cmp(b.at) == 0 && c.open {
		return c
	}
	return b
}

// admitsZero takes the side as tighten does.
func (b bound) admitsZero(side int) bool {
	return b.at == nil || b.at.Sign() == -side || b.at.Sign() == 0 && !b.open
}

func (b bound) negated() bound {
	if b.at != nil {
		b.at = new(big.Rat).Neg(b.at)
	}
	return b
}

// decimal is 0.digits × 10^point > 0, the first and the last digit not 0.
type decimal struct {
	digits []byte // values 0 to 9
	point  int32
	value  *big.Rat
}

// newDecimal converts r > 0.
func newDecimal(r *big.Rat) (*decimal, error) {
	whole, scale, err := scaled(r)
	if err != nil {
		return nil, err
	}
	text := whole.String()
	d := &decimal{point: int32(len(text) - scale), value: r}
	last := 0
	for i := range text {
		d.digits = append(d.digits, text[i]-'0')
		if text[i] != '0' {
			last = i
		}
	}
	d.digits = d.digits[:last+1]
	return d, nil
}

// scaled returns r as whole / 10^scale.
func scaled(r *big.Rat) (whole *big.Int, scale int, err error) {
	if max(r.Num().BitLen(), r.Denom().BitLen()) > maxDigits*10/3 {
		return nil, 0, &LimitError{What: "digits of a number", Limit: maxDigits}
	}
	scale, exact := r.FloatPrec()
	if !exact {
		return nil, 0, fmt.Errorf("%s: %w", r, errNotDecimal)
	}
	return new(big.Rat).Mul(r, powerOfTen(scale)).Num(), scale, nil
}

func powerOfTen(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		p.Inv(p)
	}
	return p
}

// commonMultiple returns the least common multiple of two positive rationals; x may be nil.
func commonMultiple(x, y *big.Rat) *big.Rat {
	if x == nil {
		return y
	}
	// Over the common denominator it is that of the numerators.
	p, q := new(big.Int).Mul(x.Num(), y.Denom()), new(big.Int).Mul(y.Num(), x.Denom())
	gcd := new(big.Int).GCD(nil, nil, p, q)
	p.Div(p, gcd).Mul(p, q)
	return new(big.Rat).SetFrac(p, new(big.Int).Mul(x.Denom(), y.Denom()))
}

// WithoutExponent spells a JSON number without exponent, with no more digits than that takes. It
// is false for numbers that are so long that no set tells them apart from others.
func WithoutExponent(text string) (string, bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || max(e, -e) > 4*maxDigits {
			return "", false
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", false
	}
	digits, _ := r.FloatPrec()
	return r.FloatString(digits), true
}
