// The rows of a product that are wanted, as its kernels ask for them: see rows.h.
#pragma once

#include "rows.h"

namespace tenon {

class wanted {
    const tn_rows * rows;

public:
    // m is how many rows the product has.
    explicit wanted(int64_t m) : rows(&tn_wanted_rows == nullptr ? nullptr : tn_wanted_rows) {
        if (rows != nullptr && rows->count != m) {
            rows = nullptr;
        }
    }

    // logits tells whether the product's rows are logits.
    bool logits() const { return rows != nullptr; }

    // none tells whether no row of a panel is wanted. The rows lie in one word: a panel's first
    // one is a multiple of its size, and that a power of 2. Which rows are wanted may become known
    // while the product is computed.
    bool none(int64_t first, int count) const {
        if (rows == nullptr || !__atomic_load_n(&rows->known, __ATOMIC_ACQUIRE)) {
            return false;
        }
        return (rows->bits[first / 64] >> first % 64 & ((uint64_t) 1 << count) - 1) == 0;
    }
};

} // namespace tenon
