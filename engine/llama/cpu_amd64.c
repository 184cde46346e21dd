//go:build cgo

// A build for this machine's CPU ends with an illegal instruction on one that lacks a feature,
// perhaps before main: ggml's tables are filled by constructors. So this one comes first, is made
// for any CPU itself, and says in one line what is missing.
#include <string.h>
#include <unistd.h>

#ifndef lacks // a test has its own
#define lacks(feature) (!__builtin_cpu_supports(feature))
#endif

#define baseline __attribute__((target("no-avx,no-bmi,no-bmi2,no-lzcnt,no-movbe")))

static baseline const char * missing(void) {
#ifdef __AVX__
    if (lacks("avx")) return "AVX";
#endif
#ifdef __AVX2__
    if (lacks("avx2")) return "AVX2";
#endif
#ifdef __FMA__
    if (lacks("fma")) return "FMA";
#endif
#ifdef __BMI2__
    if (lacks("bmi2")) return "BMI2";
#endif
#ifdef __AVX512F__
    if (lacks("avx512f")) return "AVX-512";
#endif
#ifdef __AVX512BW__
    if (lacks("avx512bw")) return "AVX-512 BW";
#endif
#ifdef __AVX512VL__
    if (lacks("avx512vl")) return "AVX-512 VL";
#endif
#ifdef __AVX512DQ__
    if (lacks("avx512dq")) return "AVX-512 DQ";
#endif
#ifdef __AVX512VBMI__
    if (lacks("avx512vbmi")) return "AVX-512 VBMI";
#endif
#ifdef __AVX512VNNI__
    if (lacks("avx512vnni")) return "AVX-512 VNNI";
#endif
#ifdef __AVX512BF16__
    if (lacks("avx512bf16")) return "AVX-512 BF16";
#endif
    return NULL;
}

static baseline void tell(const char * text) {
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        return; // nobody can be told
    }
}

__attribute__((constructor(101))) static baseline void check_cpu(void) {
    __builtin_cpu_init();
    const char * feature = missing();
    if (feature != NULL) {
        tell("tenon: this program was built for CPUs with ");
        tell(feature);
        tell(", which this one lacks; build it on this machine (make build), or with CPU=-march=x86-64-v3\n");
        _exit(1);
    }
}
