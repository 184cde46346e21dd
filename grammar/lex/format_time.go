package lex

import "fmt"

// timeOfDay is full-time of RFC 3339 §5.6. A leap second is one only at 23:59:60 UTC (§5.7), so
// that the offset admitted after :60 depends on hour and minute: 1,440 cases, of which only those
// that are walked are built.
func (a *Arena) timeOfDay() Expr {
	digits := ByteRange('0', '9'+1)
	var hours []Expr
	for h := range 24 {
		minutes := a.laterWithin(a.rule("any-minute"), digits, span{6, 6, 6, unbounded}, func() Expr {
			var all []Expr
			for m := range 60 {
				seconds := a.laterWithin(a.rule("any-second"), digits, span{3, 3, 3, unbounded}, func() Expr { return a.seconds(h*60 + m) })
				all = append(all, a.concat2(a.literal(fmt.Sprintf("%02d:", m)), seconds))
			}
			return a.union(all...)
		})
		hours = append(hours, a.concat2(a.literal(fmt.Sprintf("%02d:", h)), minutes))
	}
	return a.union(hours...)
}

const dayMinutes = 24 * 60

// seconds is what may follow the minute of the day.
func (a *Arena) seconds(minute int) Expr {
	digit := a.digitsBetween('0', '9')
	usual := a.concat(a.digitsBetween('0', '5'), digit, a.rule("fraction"), a.rule("zone"))
	clock := func(sign string, offset int) Expr {
		return a.literal(fmt.Sprintf("%s%02d:%02d", sign, offset/60, offset%60))
	}
	zones := []Expr{clock("+", (minute+1)%dayMinutes), clock("-", dayMinutes-1-minute)}
	if minute == dayMinutes-1 {
		zones = append(zones, a.literal("Z"), a.literal("z"))
	}
	return a.union(usual, a.concat(a.literal("60"), a.rule("fraction"), a.union(zones...)))
}
