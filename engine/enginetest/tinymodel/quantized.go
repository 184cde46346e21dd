package tinymodel

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// format is how ggml writes a block of weights:
// https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h
type format struct {
	weights, bytes int
	spread         float64 // standard deviation of what random bytes say, where the scale is 1
	scale          int     // where in the block
	// where the scale of the minima is, if there are some: 7.5 times the other
	minimum int
	weight  func(block []byte, i int) float32
}

// Evenly distributed numbers of n have a standard deviation of n/√12.
var formats = map[Weights]format{
	Q5_0: {weights: 32, bytes: 22, spread: 32 / math.Sqrt(12), weight: func(b []byte, i int) float32 {
		low, high := b[6+i%16]>>(i/16*4)&15, b[2+i/8]>>(i%8)&1
		return half(b) * (float32(low) + 16*float32(high) - 16)
	}},
	Q8_0: {weights: 32, bytes: 34, spread: 256 / math.Sqrt(12), weight: func(b []byte, i int) float32 { return half(b) * float32(int8(b[2+i])) }},
	Q4_K: {weights: 256, bytes: 144, spread: 257, minimum: 2, weight: func(b []byte, i int) float32 {
		q, part, s := b[16+i/64*32+i%32]>>(i/32%2*4)&15, i/32, b[4:16]
		scale, minimum := s[part%4]&63, s[4+part%4]&63
		if part >= 4 {
			scale, minimum = s[4+part]&15|s[part-4]>>6<<4, s[4+part]>>4|s[part]>>6<<4
		}
		return half(b)*float32(scale)*float32(q) - half(b[2:])*float32(minimum)
	}},
	Q6_K: {weights: 256, bytes: 210, spread: 64 * 256 / 12, scale: 208, weight: func(b []byte, i int) float32 {
		above, quarter, at := i/128, i/32%4, i%32
		low := b[64*above+quarter%2*32+at] >> (quarter / 2 * 4) & 15
		high := b[128+32*above+at] >> (2 * quarter) & 3
		return half(b[208:]) * float32(int8(b[192+i/16])) * (float32(low) + 16*float32(high) - 32)
	}},
}

// stored is how the weights come into the file.
func (t tensor) stored() Weights {
	if t.widened {
		return F32
	}
	return t.kind
}

// quantized draws random bytes.
func (t tensor) quantized(r *rand.Rand) []byte {
	format := formats[t.kind]
	scale := float32(t.spread / format.spread)
	buf := make([]byte, 0, t.size()+4)
	for range t.weights() / format.weights {
		begin := len(buf)
		for len(buf) < begin+format.bytes {
			buf = binary.LittleEndian.AppendUint32(buf, r.Uint32())
		}
		buf = buf[:begin+format.bytes]
		binary.LittleEndian.PutUint16(buf[begin+format.scale:], halfFloat(scale))
		if format.minimum > 0 {
			binary.LittleEndian.PutUint16(buf[begin+format.minimum:], halfFloat(7.5*scale))
		}
		if t.widened {
			buf = append(buf[:begin], format.widen(buf[begin:])...)
		}
	}
	return buf
}

// widen writes a block's weights as F32.
func (f format) widen(block []byte) []byte {
	out := make([]byte, 0, 4*f.weights)
	for i := range f.weights {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(f.weight(block, i)))
	}
	return out
}

// halfFloat rounds a positive number down to a normal IEEE 754 half.
func halfFloat(v float32) uint16 {
	bits := math.Float32bits(v)
	exponent := int(bits>>23) - 127 + 15
	if exponent <= 0 {
		return 0
	}
	return uint16(exponent)<<10 | uint16(bits>>13&0x3ff)
}

// half is the value of what halfFloat wrote.
func half(b []byte) float32 {
	h := binary.LittleEndian.Uint16(b)
	if h == 0 {
		return 0
	}
	return math.Float32frombits((uint32(h>>10)-15+127)<<23 | uint32(h&0x3ff)<<13)
}
