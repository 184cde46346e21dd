// Vectors of floats, as long as a register of any CPU: for attention and what is done with single
// activations. Products need what only some CPUs have: lanes_linux.h.
#pragma once

namespace tenon {

// A vector register's floats.
#if defined(__AVX512F__)
constexpr int width = 16;
#elif defined(__AVX__)
constexpr int width = 8;
#else
constexpr int width = 4;
#endif

typedef float vec __attribute__((vector_size(4 * width)));
typedef int vec_int __attribute__((vector_size(4 * width)));

inline vec load(const float * p) { return *(const vec *) p; }
inline void store(float * p, vec v) { *(vec *) p = v; }

// Anywhere is a vector that need not begin where a register's length says.
typedef float anywhere __attribute__((vector_size(4 * width), aligned(4)));
inline vec load_anywhere(const float * p) { return *(const anywhere *) p; }
inline void store_anywhere(float * p, vec v) { *(anywhere *) p = v; }

inline vec choose(vec_int yes, vec a, vec b) { return (vec) ((yes & (vec_int) a) | (~yes & (vec_int) b)); }
inline vec larger(vec a, vec b) { return choose(a > b, a, b); }

// exponential is e^x for x ≤ 0, by Cephes' polynomial; 0 where a float has no more room.
inline vec exponential(vec x) {
    vec_int vanishes = x < -87.33f;
    x = choose(vanishes, vec{}, x);
    // cut toward zero: rounded
    vec_int n = __builtin_convertvector(x * 1.44269504f - 0.5f, vec_int);
    vec whole = __builtin_convertvector(n, vec);
    x = x - whole * 0.693359375f + whole * 2.12194440e-4f; // ln 2 in two parts
    vec y = ((((1.9875691500e-4f * x + 1.3981999507e-3f) * x + 8.3334519073e-3f) * x + 4.1665795894e-2f) * x + 1.6666665459e-1f) * x + 5.0000001201e-1f;
    y = y * x * x + x + 1.0f;
    return choose(vanishes, vec{}, y * (vec) ((n + 127) << 23));
}

} // namespace tenon
