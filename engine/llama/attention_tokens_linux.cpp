//go:build cgo && !libllama

// Attention of few tokens, as in decoding. Each is taken alone, since mostly each is another
// sequence's; the heads that share keys are taken together, so that a cell is read and converted
// once.
#include "attention_linux.h"

namespace tenon {
namespace {

constexpr int most_heads = 4; // taken together: their sums stay in registers

// scratch is one thread's.
struct alignas(64) scratch {
    float q[most_heads][head_limit]; // scaled
    float out[most_heads][head_limit];
    float cells[stretch * head_limit]; // [cells][key], then [cells][value]
    float mask[stretch];
    float scores[most_heads][stretch]; // then weights
    float most[most_heads], sum[most_heads];
};

thread_local std::unique_ptr<scratch> own;

// share is what one thread does at once: a token in heads that share keys.
struct share {
    int batch, token, head;
};

template <int n> float total(const float * p) {
    typedef float half __attribute__((vector_size(2 * n)));
    alignas(64) float sums[n / 2];
    *(half *) sums = *(const half *) p + *(const half *) (p + n / 2);
    return total<n / 2>(sums);
}
template <> float total<2>(const float * p) { return p[0] + p[1]; }

// score computes the scores of a stretch.
template <int heads> void score(const attention & a, scratch & s) {
    for (int k = 0; k < stretch; k++) {
        const float * cell = s.cells + k * a.key;
        vec sums[heads] = {};
        for (int d = 0; d < a.key; d += width) {
            vec x = load(cell + d);
            for (int h = 0; h < heads; h++) {
                sums[h] += x * load(s.q[h] + d);
            }
        }
        for (int h = 0; h < heads; h++) {
            s.scores[h][k] = total<width>((const float *) &sums[h]);
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

// weigh makes weights out of the scores of a stretch.
void weigh(const attention & a, int head, scratch & s) {
    float * scores = s.scores[head];
    vec top = vec{} - INFINITY;
    for (int k = 0; k < stretch; k += width) {
        vec x = load(scores + k);
        x = (a.softcap != 0 ? cap(x, a.softcap) : x) + load(s.mask + k);
        store(scores + k, x);
        top = larger(top, x);
    }
    float most = std::max(s.most[head], largest(top));
    if (most > s.most[head]) {
        float shrink = expf(s.most[head] - most);
        scale(s.out[head], a.value, shrink);
        s.sum[head] *= shrink;
        s.most[head] = most;
    }
    float base = most == -INFINITY ? 0 : most; // nothing seen yet, or what is seen weighs nothing
    vec sums = {};
    for (int k = 0; k < stretch; k += width) {
        vec w = exponential(load(scores + k) - base);
        store(scores + k, w);
        sums += w;
    }
    s.sum[head] += total<width>((const float *) &sums);
}

// gather adds the weighted values of a stretch, n vectors of them at once.
template <int heads, int n> void gather(const attention & a, int d, scratch & s) {
    vec sums[heads][n];
    for (int h = 0; h < heads; h++) {
        for (int j = 0; j < n; j++) {
            sums[h][j] = load(s.out[h] + d + j * width);
        }
    }
    for (int k = 0; k < stretch; k++) {
        for (int j = 0; j < n; j++) {
            vec x = load(s.cells + k * a.value + d + j * width);
            for (int h = 0; h < heads; h++) {
                sums[h][j] += s.scores[h][k] * x;
            }
        }
    }
    for (int h = 0; h < heads; h++) {
        for (int j = 0; j < n; j++) {
            store(s.out[h] + d + j * width, sums[h][j]);
        }
    }
}

void take_mask(const attention & a, share w, int cell, scratch & s) {
    int cells = std::min<int>(stretch, a.cells - cell);
    std::fill_n(s.mask, stretch, -INFINITY);
    if (a.mask == NULL) {
        std::fill_n(s.mask, cells, 0.0f);
    } else {
        ggml_cpu_fp16_to_fp32((const ggml_fp16_t *) mask_row(a, w.batch, w.token) + cell, s.mask, cells);
    }
}

// attend_stretch adds what the token sees in the cells from cell on.
template <int heads> void attend_stretch(const attention & a, share w, int cell, scratch & s) {
    int cells = std::min<int>(stretch, a.cells - cell);
    if (a.mask != NULL && look(mask_row(a, w.batch, w.token) + cell, cells) == nothing) {
        return;
    }
    take_mask(a, w, cell, s);
    take_cells(a.k, a, w.head, w.batch, cell, s.cells, 0, s.mask);
    score<heads>(a, s);
    for (int h = 0; h < heads; h++) {
        weigh(a, h, s);
    }
    take_cells(a.v, a, w.head, w.batch, cell, s.cells, 0, s.mask);
    int d = 0;
    for (; d + 2 * width <= a.value; d += 2 * width) {
        gather<heads, 2>(a, d, s);
    }
    for (; d < a.value; d += width) {
        gather<heads, 1>(a, d, s);
    }
}

template <int heads> void attend(const attention & a, share w, scratch & s) {
    for (int h = 0; h < heads; h++) {
        auto q = (const float *) ((const char *) a.q->data + w.token * a.q->nb[1] + (w.head + h) * a.q->nb[2] + w.batch * a.q->nb[3]);
        std::copy_n(q, a.key, s.q[h]);
        scale(s.q[h], a.key, a.scale);
        std::fill_n(s.out[h], a.value, 0.0f);
        s.most[h] = -INFINITY, s.sum[h] = 0;
    }
    for (int cell = 0; cell < a.cells; cell += stretch) {
        attend_stretch<heads>(a, w, cell, s);
    }
    for (int h = 0; h < heads; h++) {
        give_out(a, w.batch, w.token, w.head + h, s.out[h], s.most[h], s.sum[h]);
    }
}

// taken_together is how many heads are: as many as share keys, if that leaves work for all
// threads.
int taken_together(const attention & a, int threads) {
    int64_t shares = a.heads * a.tokens * a.q->ne[3];
    for (int n : {4, 3, 2}) {
        if (a.sharing % n == 0 && shares / n >= threads) {
            return n;
        }
    }
    return 1;
}

} // namespace

void attend_tokens(const attention & a, const ggml_compute_params & params) {
    if (!own) {
        own.reset(new scratch); // as it comes: of short heads most is never touched
    }
    int together = taken_together(a, params.nth), parts = a.heads / together;
    void (*attend_heads)(const attention &, share, scratch &) =
        together == 4 ? attend<4> : together == 3 ? attend<3> : together == 2 ? attend<2> : attend<1>;
    for (int n = params.ith; n < parts * a.tokens * a.q->ne[3]; n += params.nth) {
        share w = {n / parts / a.tokens, n / parts % a.tokens, n % parts * together};
        attend_heads(a, w, *own);
    }
}

} // namespace tenon
