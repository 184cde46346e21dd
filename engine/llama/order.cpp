// llama.cpp looks for special tokens in a text, the longest first. Tokens of one length come in
// the order that std::sort leaves them in. It is not a stable sort, so the order has no rule: the
// same sort of the same list gives it.
#include <algorithm>
#include <cstddef>
#include <cstdint>

extern "C" void tn_longest_first(int32_t * ids, size_t n, const uint32_t * sizes) {
    std::sort(ids, ids + n, [&](int32_t a, int32_t b) { return sizes[a] > sizes[b]; });
}
