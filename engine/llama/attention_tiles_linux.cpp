//go:build cgo && !libllama

// Attention of many tokens. A tile is some tokens of the batch, in heads that share keys, against
// a stretch of cells: scores and sums are products of matrices, which a core computes out of its
// cache.
#include "attention_linux.h"

namespace tenon {
namespace {

// How many vectors of a product's result are summed in registers at once: AVX has half as many
// registers as the others.
constexpr int sums_at_once = width == 8 ? 8 : 16;

constexpr int tile_tokens = 32; // a multiple of every width
constexpr int tile_heads = 4;   // at most: more, of 256 floats, would not fit into a core's cache
constexpr int tile_rows = tile_tokens * tile_heads;

// How much of a product's sums is added up at once.
constexpr int inner_at_once = 64;

// What stands behind each row of a matrix that a product goes down. Without it rows of a power of
// two would lie in the same few sets of a core's cache.
constexpr int gap = 16;

// scratch is one thread's. Matrices are named with their sides: [rows][columns].
struct alignas(64) scratch {
    float q[head_limit * (tile_rows + gap)];   // [key][rows], scaled
    float out[tile_rows * head_limit];         // [rows][value]
    float cells[stretch * (head_limit + gap)]; // [cells][key], then [cells][value]
    float scores[stretch * (tile_rows + gap)]; // [cells][rows], then weights
    float mask[stretch * tile_tokens];         // [cells][tokens]
    bool odd[stretch];                     // cells that hold what is no number
    float most[tile_rows], sum[tile_rows]; // of the scores so far
    float shrink[tile_rows];               // what a new maximum leaves of earlier weights
};

thread_local std::unique_ptr<scratch> own;

// matrix is read as m[row * down + column * right].
struct matrix {
    const float * m;
    int down, right;
};

// One block of a product: n vectors of columns, in as many rows as there is room for.
template <int n> void block(int inner, matrix a, const float * b, int b_down, float * c, int c_down, bool add) {
    constexpr int rows = sums_at_once / n;
    vec sum[rows][n];
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            sum[r][j] = add ? load(c + r * c_down + j * width) : vec{};
        }
    }
    for (int i = 0; i < inner; i++) {
        vec right[n];
        for (int j = 0; j < n; j++) {
            right[j] = load(b + i * b_down + j * width);
        }
        for (int r = 0; r < rows; r++) {
            float left = a.m[r * a.down + i * a.right];
            for (int j = 0; j < n; j++) {
                sum[r][j] += left * right[j];
            }
        }
    }
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < n; j++) {
            store(c + r * c_down + j * width, sum[r][j]);
        }
    }
}

// multiply_columns computes columns of a product from the first on, n vectors of them at once. It
// gives the column where it ends. Each sum is added up in parts, so that what b has for n vectors
// stays in a core's first cache.
template <int n>
int multiply_columns(int first, int rows, int columns, int inner, matrix a, const float * b, int b_down, float * c, int c_down, bool add) {
    for (; first + n * width <= columns; first += n * width) {
        for (int i = 0; i < inner; i += inner_at_once) {
            for (int r = 0; r < rows; r += sums_at_once / n) {
                matrix part = {a.m + r * a.down + i * a.right, a.down, a.right};
                block<n>(std::min(inner_at_once, inner - i), part, b + i * b_down + first, b_down, c + r * c_down + first, c_down, add || i > 0);
            }
        }
    }
    return first;
}

// multiply writes (or adds) the product of a [rows][inner] and b [inner][columns] to c
// [rows][columns].
void multiply(int rows, int columns, int inner, matrix a, const float * b, int b_down, float * c, int c_down, bool add) {
    // Four vectors are slower with AVX2.
    int done = width < 16 ? 0 : multiply_columns<4>(0, rows, columns, inner, a, b, b_down, c, c_down, add);
    done = multiply_columns<2>(done, rows, columns, inner, a, b, b_down, c, c_down, add);
    multiply_columns<1>(done, rows, columns, inner, a, b, b_down, c, c_down, add);
}

// tile is the tokens and heads that one thread works on.
struct tile {
    int batch, head, heads; // heads from head on, which share keys
    int token, tokens;      // from token on

    int rows() const { return heads * tile_tokens; }
    int down() const { return rows() + gap; } // from one row of queries or scores to the next
};

// row is a token's in one of the tile's heads.
int row(int head, int token) { return head * tile_tokens + token; }

// take_queries turns the tile's queries round and scales them.
void take_queries(const attention & a, tile t, scratch & s) {
    std::fill_n(s.q, a.key * t.down(), 0.0f);
    for (int h = 0; h < t.heads; h++) {
        for (int i = 0; i < t.tokens; i++) {
            auto q = (const float *) ((const char *) a.q->data + (t.token + i) * a.q->nb[1] + (t.head + h) * a.q->nb[2] + t.batch * a.q->nb[3]);
            for (int d = 0; d < a.key; d++) {
                s.q[d * t.down() + row(h, i)] = q[d] * a.scale;
            }
        }
    }
}

// look_all tells what the tile's tokens see of a stretch.
seen look_all(const attention & a, tile t, int cell) {
    int cells = std::min<int>(stretch, a.cells - cell);
    bool whole = cells == stretch && t.tokens == tile_tokens;
    if (a.mask == NULL) {
        return whole ? all : some;
    }
    bool any = false;
    for (int i = 0; i < t.tokens; i++) {
        seen what = look(mask_row(a, t.batch, t.token + i) + cell, cells);
        any = any || what != nothing;
        whole = whole && what == all;
    }
    return !any ? nothing : whole ? all : some;
}

void take_mask(const attention & a, tile t, int cell, scratch & s) {
    int cells = std::min<int>(stretch, a.cells - cell);
    std::fill_n(s.mask, stretch * tile_tokens, -INFINITY);
    for (int i = 0; i < t.tokens; i++) {
        for (int k = 0; k < cells; k++) {
            s.mask[k * tile_tokens + i] = a.mask == NULL ? 0 : ggml_fp16_to_fp32(mask_row(a, t.batch, t.token + i)[cell + k]);
        }
    }
}

// add_mask caps and masks the scores of width rows and gives their maximum.
vec add_mask(const attention & a, float * scores, int down, const float * mask, vec most) {
    for (int k = 0; k < stretch; k++) {
        vec x = load(scores + k * down);
        if (a.softcap != 0) {
            x = cap(x, a.softcap);
        }
        if (mask != NULL) {
            x += load(mask + k * tile_tokens);
        }
        store(scores + k * down, x);
        most = larger(most, x);
    }
    return most;
}

// weigh makes weights out of the scores of a stretch.
void weigh(const attention & a, tile t, bool masked, scratch & s) {
    for (int r = 0; r < t.rows(); r += width) {
        float * scores = s.scores + r;
        vec before = load(s.most + r);
        vec most = add_mask(a, scores, t.down(), masked ? s.mask + r % tile_tokens : NULL, before);
        vec base = choose(most == -INFINITY, vec{}, most); // nothing seen yet
        vec shrink = exponential(before - base), sum = load(s.sum + r) * shrink;
        for (int k = 0; k < stretch; k++) {
            vec w = exponential(load(scores + k * t.down()) - base);
            store(scores + k * t.down(), w);
            sum += w;
        }
        store(s.most + r, most);
        store(s.sum + r, sum);
        store(s.shrink + r, shrink);
    }
}

// set_aside makes 0 of the rows of cells, of some length, that hold what is no number, and notes
// which those are.
void set_aside(int length, scratch & s) {
    for (int k = 0; k < stretch; k++) {
        float * cell = s.cells + k * (length + gap);
        vec sum = {};
        for (int d = 0; d < length; d += width) {
            sum += load(cell + d) * 0.0f; // no number if one is not
        }
        float total = 0;
        for (int i = 0; i < width; i++) {
            total += sum[i];
        }
        if (total != 0) {
            s.odd[k] = true;
            std::fill_n(cell, length, 0.0f);
        }
    }
}

// spoil gives no number to the tokens that see a cell which was set aside, and leaves the others
// alone.
void spoil(tile t, scratch & s) {
    for (int k = 0; k < stretch; k++) {
        for (int r = 0; s.odd[k] && r < t.rows(); r++) {
            if (s.mask[k * tile_tokens + r % tile_tokens] > -INFINITY) {
                s.sum[r] = NAN;
            }
        }
    }
}

// attend_stretch adds what the tile's tokens see in the cells from cell on. What no token of the
// tile sees, and what some do not, may hold no numbers: cells of other sequences.
void attend_stretch(const attention & a, tile t, int cell, scratch & s) {
    seen what = look_all(a, t, cell);
    if (what == nothing) {
        return;
    }
    if (what == some) {
        take_mask(a, t, cell, s);
    }
    std::fill_n(s.odd, stretch, false);
    take_cells(a.k, a, t.head, t.batch, cell, s.cells, gap, NULL);
    if (what == some) {
        set_aside(a.key, s);
    }
    multiply(stretch, t.rows(), a.key, matrix{s.cells, a.key + gap, 1}, s.q, t.down(), s.scores, t.down(), false);
    weigh(a, t, what == some, s);
    for (int r = 0; r < t.rows(); r++) {
        if (s.shrink[r] != 1) {
            scale(s.out + r * a.value, a.value, s.shrink[r]);
        }
    }
    take_cells(a.v, a, t.head, t.batch, cell, s.cells, gap, NULL);
    if (what == some) {
        set_aside(a.value, s);
        spoil(t, s);
    }
    multiply(t.rows(), a.value, stretch, matrix{s.scores, 1, t.down()}, s.cells, a.value + gap, s.out, a.value, true);
}

void attend(const attention & a, tile t, scratch & s) {
    take_queries(a, t, s);
    std::fill_n(s.out, t.rows() * a.value, 0.0f);
    std::fill_n(s.sum, t.rows(), 0.0f);
    std::fill_n(s.most, t.rows(), -INFINITY);
    for (int cell = 0; cell < a.cells; cell += stretch) {
        attend_stretch(a, t, cell, s);
    }
    for (int h = 0; h < t.heads; h++) {
        for (int i = 0; i < t.tokens; i++) {
            int r = row(h, i);
            give_out(a, t.batch, t.token + i, t.head + h, s.out + r * a.value, s.most[r], s.sum[r]);
        }
    }
}

// tiling is how a node's work is divided.
struct tiling {
    int together; // heads of a tile, at most
    int parts;    // of heads that share keys
    int shared;   // keys' heads
    int steps;    // of tokens
    int tiles;

    // Each of many threads gets several tiles, since they differ: fewer heads are taken together
    // then.
    tiling(const attention & a, int threads) {
        shared = a.heads / a.sharing;
        steps = (a.tokens + tile_tokens - 1) / tile_tokens;
        together = std::min<int>(a.sharing, tile_heads);
        for (count_parts(a); together > 1 && tiles < 4 * threads; count_parts(a)) {
            together /= 2;
        }
    }

    void count_parts(const attention & a) {
        parts = (a.sharing + together - 1) / together;
        tiles = a.q->ne[3] * steps * shared * parts;
    }

    // nth tile. The last tokens see most and come first.
    tile nth(const attention & a, int n) const {
        int part = n % parts, step = steps - 1 - n / (parts * shared) % steps;
        tile t = {};
        t.batch = n / (parts * shared * steps);
        t.head = n / parts % shared * a.sharing + part * together;
        t.heads = std::min(together, a.sharing - part * together);
        t.token = step * tile_tokens;
        t.tokens = std::min(tile_tokens, a.tokens - t.token);
        return t;
    }
};

} // namespace

void attend_tiles(const attention & a, const ggml_compute_params & params) {
    if (!own) {
        own.reset(new scratch); // as it comes: of short heads most is never touched
    }
    // Tiles are handed out one by one: a thread that other processes disturb takes fewer.
    if (params.ith == 0) {
        ggml_threadpool_chunk_set(params.threadpool, params.nth);
    }
    ggml_barrier(params.threadpool);
    tiling work(a, params.nth);
    for (int n = params.ith; n < work.tiles; n = ggml_threadpool_chunk_add(params.threadpool, 1)) {
        attend(a, work.nth(a, n), *own);
    }
}

} // namespace tenon
