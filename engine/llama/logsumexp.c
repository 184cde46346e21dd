#include "sample.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 32 }; // logits taken at once, so that compilers use vector instructions

// exp for x <= 0, to about one part in ten million; written so that compilers use vector
// instructions.
static inline float exp_negative(float x) {
    x = x < -87.0f ? -87.0f : x;
    float n = (float) (int) (x * 1.44269504f - 0.5f);
    float r = x - n * 0.693359375f + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    int32_t bits = ((int32_t) n + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof(scale));
    return p * scale;
}

double tn_logsumexp(const float * logits, int n) {
    float high[BLOCK], sums[BLOCK] = {0};
    for (int k = 0; k < BLOCK; k++) {
        high[k] = -INFINITY;
    }
    int whole = n / BLOCK * BLOCK;
    for (int i = 0; i < whole; i += BLOCK) {
        for (int k = 0; k < BLOCK; k++) {
            high[k] = logits[i + k] > high[k] ? logits[i + k] : high[k];
        }
    }
    float max = -INFINITY;
    for (int k = 0; k < BLOCK; k++) {
        max = high[k] > max ? high[k] : max;
    }
    for (int i = whole; i < n; i++) {
        max = logits[i] > max ? logits[i] : max;
    }
    if (max == -INFINITY) {
        return -INFINITY;
    }
    for (int i = 0; i < whole; i += BLOCK) {
        for (int k = 0; k < BLOCK; k++) {
            sums[k] += exp_negative(logits[i + k] - max);
        }
    }
    double sum = 0;
    for (int k = 0; k < BLOCK; k++) {
        sum += sums[k];
    }
    for (int i = whole; i < n; i++) {
        sum += exp_negative(logits[i] - max);
    }
    return max + log(sum);
}
