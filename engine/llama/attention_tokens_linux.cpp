//go:build cgo && !libllama

// Attention of few tokens, as in decoding: of one, of some that were guessed for it, or of several
// streams'. Tokens are taken together, in the heads that share keys: a cell that any of them sees
// is read and converted once. A token's result does not depend on what is beside it.
#include "attention_linux.h"

#include <type_traits>

namespace tenon {
namespace {

constexpr int most_rows = 64; // a row is a token in a head
constexpr int most_heads = 4, most_tokens = most_rows / most_heads;

// Rows that are computed side by side, and cells or vectors of values: their sums stay in
// registers.
constexpr int rows_at_once = width == 16 ? 4 : 2, sums_at_once = width == 16 ? 16 : 8;

// scratch is one thread's.
struct alignas(64) scratch {
    float q[most_rows * head_limit];       // [rows][key], scaled
    float out[most_rows * head_limit];     // [rows][value]
    float cells[stretch * head_limit];     // [cells][key], then [cells][value]
    float masks[most_tokens][stretch];
    float shown[stretch];                  // −∞ where no token sees the cell
    float scores[most_rows][stretch];      // then weights
    float most[most_rows], sum[most_rows];
};

thread_local std::unique_ptr<scratch> own;

// share is what one thread does at once: tokens in heads that share keys.
struct share {
    int batch, token, tokens, head, heads;

    int rows() const { return tokens * heads; }
};

// rows are some of a share's, by number.
struct rows {
    int numbers[most_rows], count;

    // of a token in all heads
    void add(const share & w, int token) {
        for (int h = 0; h < w.heads; h++) {
            numbers[count++] = token * w.heads + h;
        }
    }

    // in_groups calls a function for as many as can be computed side by side.
    template <typename function> void in_groups(function f) const {
        int i = 0;
        for (; i + rows_at_once <= count; i += rows_at_once) {
            f(std::integral_constant<int, rows_at_once>(), numbers + i);
        }
        for (; i + 2 <= count; i += 2) {
            f(std::integral_constant<int, 2>(), numbers + i);
        }
        for (; i < count; i++) {
            f(std::integral_constant<int, 1>(), numbers + i);
        }
    }
};

// picked takes numbers of two vectors by their places.
inline vec picked(vec a, vec b, vec_int places) {
#ifdef __clang__
    vec v;
    for (int i = 0; i < width; i++) {
        v[i] = places[i] < width ? a[places[i]] : b[places[i] - width];
    }
    return v;
#else
    return __builtin_shuffle(a, b, places);
#endif
}

// totals adds up each of count vectors. A vector's upper half is added to its lower one, and so
// on.
template <int count> vec totals(const vec * v) {
    vec a = totals<count / 2>(v), b = totals<count / 2>(v + count / 2);
    constexpr int length = width / (count / 2); // of what is to be added up for each
    vec_int low = {};
    for (int i = 0; i < width; i++) {
        low[i] = i / (length / 2) * length + i % (length / 2);
    }
    return picked(a, b, low) + picked(a, b, low + length / 2);
}
template <> vec totals<1>(const vec * v) { return *v; }

float total(vec v) {
    float sums[width];
    memcpy(sums, &v, sizeof v);
    for (int n = width / 2; n > 0; n /= 2) {
        for (int i = 0; i < n; i++) {
            sums[i] += sums[i + n];
        }
    }
    return sums[0];
}

// score computes the scores of n rows.
template <int n> void score(const attention & a, const int * rows, scratch & s) {
    constexpr int cells = width / n;
    for (int k = 0; k < stretch; k += cells) {
        vec sums[width] = {};
        for (int d = 0; d < a.key; d += width) {
            vec x[cells];
            for (int c = 0; c < cells; c++) {
                x[c] = load(s.cells + (k + c) * a.key + d);
            }
            for (int r = 0; r < n; r++) {
                vec q = load(s.q + rows[r] * a.key + d);
                for (int c = 0; c < cells; c++) {
                    sums[r * cells + c] += x[c] * q;
                }
            }
        }
        vec all = totals<width>(sums);
        for (int r = 0; r < n; r++) {
            memcpy(s.scores[rows[r]] + k, (const float *) &all + r * cells, cells * sizeof(float));
        }
    }
}

float largest(vec v) {
    float most = v[0];
    for (int i = 1; i < width; i++) {
        most = std::max<float>(most, v[i]);
    }
    return most;
}

// weigh makes weights out of a row's scores of a stretch. What is hidden weighs nothing, also
// where its score is no number.
void weigh(const attention & a, int row, const float * mask, scratch & s) {
    float * scores = s.scores[row];
    vec top = vec{} - INFINITY;
    for (int k = 0; k < stretch; k += width) {
        vec x = load(scores + k), m = load(mask + k);
        x = choose(m == -INFINITY, m, (a.softcap != 0 ? cap(x, a.softcap) : x) + m);
        store(scores + k, x);
        top = larger(top, x);
    }
    float most = std::max(s.most[row], largest(top));
    if (most > s.most[row]) {
        float shrink = expf(s.most[row] - most);
        scale(s.out + row * a.value, a.value, shrink);
        s.sum[row] *= shrink;
        s.most[row] = most;
    }
    float base = most == -INFINITY ? 0 : most; // nothing seen yet, or what is seen weighs nothing
    vec sums = {};
    for (int k = 0; k < stretch; k += width) {
        vec w = exponential(load(scores + k) - base);
        store(scores + k, w);
        sums += w;
    }
    s.sum[row] += total(sums);
}

// gather_vectors adds weighted values of a stretch to n rows: vectors of them at once, from the
// first on. It gives the place where it ends.
template <int n, int vectors> int gather_vectors(const attention & a, int first, const int * rows, scratch & s) {
    for (; first + vectors * width <= a.value; first += vectors * width) {
        vec sums[n][vectors];
        for (int r = 0; r < n; r++) {
            for (int j = 0; j < vectors; j++) {
                sums[r][j] = load(s.out + rows[r] * a.value + first + j * width);
            }
        }
        for (int k = 0; k < stretch; k++) {
            vec x[vectors];
            for (int j = 0; j < vectors; j++) {
                x[j] = load(s.cells + k * a.value + first + j * width);
            }
            for (int r = 0; r < n; r++) {
                for (int j = 0; j < vectors; j++) {
                    sums[r][j] += s.scores[rows[r]][k] * x[j];
                }
            }
        }
        for (int r = 0; r < n; r++) {
            for (int j = 0; j < vectors; j++) {
                store(s.out + rows[r] * a.value + first + j * width, sums[r][j]);
            }
        }
    }
    return first;
}

void gather(const attention & a, const rows & all, scratch & s) {
    all.in_groups([&](auto n, const int * rows) {
        int done = gather_vectors<n, sums_at_once / rows_at_once>(a, 0, rows, s);
        gather_vectors<n, 1>(a, done, rows, s);
    });
}

// take_masks has the masks of a stretch. It gives the rows that see something, and tells whether
// their tokens see different cells.
bool take_masks(const attention & a, const share & w, int cell, rows & seers, scratch & s) {
    int cells = std::min<int>(stretch, a.cells - cell);
    bool differ = false;
    std::fill_n(s.shown, stretch, -INFINITY);
    for (int i = 0; i < w.tokens; i++) {
        float * mask = s.masks[i];
        std::fill_n(mask, stretch, -INFINITY);
        if (a.mask == NULL) {
            std::fill_n(mask, cells, 0.0f);
        } else {
            const uint16_t * row = mask_row(a, w.batch, w.token + i) + cell;
            if (look(row, cells) == nothing) {
                continue;
            }
            ggml_cpu_fp16_to_fp32((const ggml_fp16_t *) row, mask, cells);
        }
        for (int k = 0; k < stretch; k++) {
            differ |= seers.count > 0 && (mask[k] == -INFINITY) != (s.shown[k] == -INFINITY);
            s.shown[k] = std::max(s.shown[k], mask[k]);
        }
        seers.add(w, i);
    }
    return differ;
}

// odd tells whether a stretch's values hold what is no number.
bool odd(const attention & a, const scratch & s) {
    vec sum = {};
    for (int i = 0; i < stretch * a.value; i += width) {
        sum += load(s.cells + i) * 0.0f; // no number if one is not
    }
    return total(sum) != 0;
}

// attend_stretch adds what the tokens see in the cells from cell on.
void attend_stretch(const attention & a, const share & w, int cell, scratch & s) {
    rows seers = {};
    bool differ = take_masks(a, w, cell, seers, s);
    if (seers.count == 0) {
        return;
    }
    take_cells(a.k, a, w.head, w.batch, cell, s.cells, 0, s.shown);
    seers.in_groups([&](auto n, const int * rows) { score<n>(a, rows, s); });
    for (int i = 0; i < seers.count; i++) {
        weigh(a, seers.numbers[i], s.masks[seers.numbers[i] / w.heads], s);
    }
    take_cells(a.v, a, w.head, w.batch, cell, s.cells, 0, s.shown);
    if (!differ || !odd(a, s)) {
        gather(a, seers, s);
        return;
    }
    // who does not see a cell is not to suffer from it: 0 times infinity is no number
    for (int i = 0; i < seers.count; i += w.heads) {
        rows one = {};
        int token = seers.numbers[i] / w.heads;
        one.add(w, token);
        take_cells(a.v, a, w.head, w.batch, cell, s.cells, 0, s.masks[token]);
        gather(a, one, s);
    }
}

void attend(const attention & a, const share & w, scratch & s) {
    for (int row = 0; row < w.rows(); row++) {
        int token = w.token + row / w.heads, head = w.head + row % w.heads;
        auto q = (const float *) ((const char *) a.q->data + token * a.q->nb[1] + head * a.q->nb[2] + w.batch * a.q->nb[3]);
        std::copy_n(q, a.key, s.q + row * a.key);
        scale(s.q + row * a.key, a.key, a.scale);
        s.most[row] = -INFINITY, s.sum[row] = 0;
    }
    std::fill_n(s.out, w.rows() * a.value, 0.0f);
    for (int cell = 0; cell < a.cells; cell += stretch) {
        attend_stretch(a, w, cell, s);
    }
    for (int row = 0; row < w.rows(); row++) {
        give_out(a, w.batch, w.token + row / w.heads, w.head + row % w.heads, s.out + row * a.value, s.most[row], s.sum[row]);
    }
}

// sharing_out is how a node's work is divided.
struct sharing_out {
    int heads;  // of a share: as many as share keys, if that leaves work for all threads
    int parts;  // of the heads
    int tokens; // of a share
    int steps;  // of tokens
    int shares;

    sharing_out(const attention & a, int threads) {
        int batches = a.q->ne[3];
        heads = 1;
        for (int n = 2; n <= most_heads; n++) {
            if (a.sharing % n == 0 && a.heads / n * a.tokens * batches >= threads) {
                heads = n;
            }
        }
        parts = a.heads / heads;
        steps = (a.tokens + most_tokens - 1) / most_tokens;
        // all threads shall end at much the same time
        while (steps < a.tokens && parts * batches * steps < 4 * threads && parts * batches * steps % threads != 0) {
            steps++;
        }
        tokens = (a.tokens + steps - 1) / steps;
        steps = (a.tokens + tokens - 1) / tokens;
        shares = parts * steps * batches;
    }

    share nth(const attention & a, int n) const {
        int token = n / parts % steps * tokens;
        return {n / parts / steps, token, std::min(tokens, a.tokens - token), n % parts * heads, heads};
    }
};

} // namespace

void attend_tokens(const attention & a, const ggml_compute_params & params) {
    if (!own) {
        own.reset(new scratch); // as it comes: of short heads most is never touched
    }
    sharing_out work(a, params.nth);
    for (int n = params.ith; n < work.shares; n += params.nth) {
        attend(a, work.nth(a, n), *own);
    }
}

} // namespace tenon
