//go:build cgo

// Room for a model's weights, made ready while llama.cpp reads the vocabulary. The system clears
// pages when they are first written. For the 240 MB of Gemma 3 270M that takes a quarter of the
// time to load, on the thread that reads the weights. The vocabulary takes as long, before that.
// So a second thread has the pages cleared meanwhile. A kernel before Linux 5.14 cannot be asked
// to; there the pages are cleared as before.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "room.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace {

const size_t page = sysconf(_SC_PAGESIZE);
const size_t huge_page = 2 << 20; // also what is cleared at a time: who allocates waits for it
const size_t least = 1 << 20;     // smaller blocks are no weights

size_t rounded(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

// lent are the blocks that ggml has, and their sizes.
std::mutex lock;
std::map<void *, size_t> lent;

} // namespace

struct tn_room {
    char * begin;
    size_t size, used = 0;
    std::atomic<bool> enough{false};
    std::thread clearing;

    tn_room(char * begin, size_t size) : begin(begin), size(size), clearing([this] { clear(); }) {}

    void clear() {
        for (size_t done = 0; done < size && !enough; done += huge_page) {
            if (madvise(begin + done, std::min(huge_page, size - done), MADV_POPULATE_WRITE) != 0) {
                return;
            }
        }
    }

    // block is the next part; NULL if it does not fit. Then the weights lie elsewhere, and no more
    // memory is kept for them here.
    void * block(size_t n) {
        n = rounded(n, page);
        if (n < least) {
            return NULL;
        }
        if (n > size - used) {
            end();
            return NULL;
        }
        void * p = begin + used;
        used += n;
        std::lock_guard<std::mutex> guard(lock);
        lent[p] = n;
        return p;
    }

    // end gives back what is left.
    void end() {
        enough = true;
        if (clearing.joinable()) {
            clearing.join();
        }
        if (used < size) {
            munmap(begin + used, size - used);
            size = used;
        }
    }

    ~tn_room() { end(); }
};

// A model is loaded by one thread, which allocates its weights.
static thread_local tn_room * open_room = NULL;

void tn_room_open(size_t size) {
    size = rounded(size, huge_page);
    char * p = (char *) mmap(NULL, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        return;
    }
    char * begin = (char *) rounded((uintptr_t) p, huge_page);
    if (begin > p) {
        munmap(p, begin - p);
    }
    if (begin < p + huge_page) {
        munmap(begin + size, p + huge_page - begin);
    }
    madvise(begin, size, MADV_HUGEPAGE); // where there are none, small ones do
    try {
        open_room = new tn_room(begin, size);
    } catch (const std::system_error &) { // no thread is to be had
        munmap(begin, size);
    }
}

void tn_room_close(void) {
    delete open_room;
    open_room = NULL;
}

static bool give_back(void * p) {
    std::lock_guard<std::mutex> guard(lock);
    auto block = lent.find(p);
    if (block == lent.end()) {
        return false;
    }
    munmap(p, block->second);
    lent.erase(block);
    return true;
}

// ggml allocates and frees weights by these. The linker brings its calls here (llama_ollama.go),
// or the loader does, which finds this program's functions before the library's.
#ifdef TENON_LIBLLAMA
#include <dlfcn.h>

extern "C" void * ggml_aligned_malloc(size_t size) {
    static auto real = (void * (*) (size_t)) dlsym(RTLD_NEXT, "ggml_aligned_malloc");
    void * p = open_room ? open_room->block(size) : NULL;
    return p ? p : real(size);
}

extern "C" void ggml_aligned_free(void * p, size_t size) {
    static auto real = (void (*)(void *, size_t)) dlsym(RTLD_NEXT, "ggml_aligned_free");
    if (!give_back(p)) {
        real(p, size);
    }
}
#else
extern "C" void * __real_ggml_aligned_malloc(size_t size);
extern "C" void __real_ggml_aligned_free(void * p, size_t size);

extern "C" void * __wrap_ggml_aligned_malloc(size_t size) {
    void * p = open_room ? open_room->block(size) : NULL;
    return p ? p : __real_ggml_aligned_malloc(size);
}

extern "C" void __wrap_ggml_aligned_free(void * p, size_t size) {
    if (!give_back(p)) {
        __real_ggml_aligned_free(p, size);
    }
}
#endif
