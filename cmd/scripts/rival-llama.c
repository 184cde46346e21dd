// Says what llama.cpp's own grammar sampler accepts, for TestPrint_rivalsAgree: linked against a
// libllama, over a model's vocabulary.
//
// Standard input: "G LENGTH\n" and a grammar in GBNF, answered by "ok" or "error"; "T LENGTH\n"
// and a text, answered by "1" if the last grammar accepts the whole text cut into the model's
// tokens, the end token included, and by "0" if not. An answer is a line; the first line, "ready",
// comes unasked.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "llama.h"

static void quiet(enum ggml_log_level level, const char *text, void *user) {
    (void)level, (void)text, (void)user;
}

// allows asks for one token alone, which spares the walk over the whole vocabulary.
static int allows(struct llama_sampler *s, llama_token token) {
    llama_token_data one = {token, 0, 0};
    llama_token_data_array list = {&one, 1, -1, false};
    llama_sampler_apply(s, &list);
    return !isinf(one.logit);
}

static int accepts(struct llama_sampler *s, const struct llama_vocab *vocab, const char *text, int length) {
    llama_token *tokens = malloc(sizeof(llama_token) * (size_t)(length + 8));
    int n = llama_tokenize(vocab, text, length, tokens, length + 8, false, false);
    int ok = n >= 0;
    llama_sampler_reset(s);
    for (int i = 0; ok && i < n; i++) {
        ok = allows(s, tokens[i]);
        if (ok) {
            llama_sampler_accept(s, tokens[i]);
        }
    }
    free(tokens);
    return ok && allows(s, llama_vocab_eos(vocab));
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s MODEL.gguf\n", argv[0]);
        return 2;
    }
    llama_log_set(quiet, NULL);
    if (freopen("/dev/null", "w", stderr) == NULL) { // the grammar parser prints what it refuses
        return 2;
    }
    struct llama_model_params params = llama_model_default_params();
    params.vocab_only = true;
    struct llama_model *model = llama_model_load_from_file(argv[1], params);
    if (model == NULL) {
        printf("no model in %s\n", argv[1]);
        return 2;
    }
    const struct llama_vocab *vocab = llama_model_get_vocab(model);
    puts("ready");
    fflush(stdout);
    struct llama_sampler *s = NULL;
    char kind;
    int length;
    while (scanf(" %c %d", &kind, &length) == 2 && getchar() == '\n') {
        char *text = malloc((size_t)length + 1);
        if (text == NULL || fread(text, 1, (size_t)length, stdin) != (size_t)length) {
            return 2;
        }
        text[length] = 0;
        if (kind == 'G') {
            if (s != NULL) {
                llama_sampler_free(s);
            }
            s = llama_sampler_init_grammar(vocab, text, "root");
            puts(s == NULL ? "error" : "ok");
        } else {
            puts(s != NULL && accepts(s, vocab, text, length) ? "1" : "0");
        }
        fflush(stdout);
        free(text);
    }
    return 0;
}
