"""Says what XGrammar or llguidance (its argument) accepts, for TestPrint_rivalsAgree; rival-llama.c tells the protocol.

Tokens are bytes: what a grammar accepts does not depend on how text is cut, and small vocabularies compile at once.
"""
import os
import sys

END = 256


class XGrammar:
    def __init__(self):
        import xgrammar
        self.module = xgrammar
        info = xgrammar.TokenizerInfo([bytes([b]) for b in range(256)] + [b'<end>'], xgrammar.VocabType.RAW, stop_token_ids=[END])
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def compile(self, text):
        return self.compiler.compile_grammar(self.module.Grammar.from_ebnf(text))

    def accepts(self, compiled, text):
        matcher = self.module.GrammarMatcher(compiled)
        return matcher.accept_string(text) and matcher.accept_token(END)


class LLGuidance:
    """Reads what is printed for XGrammar, as vLLM's guidance backend does; its grammars keep their state."""

    def __init__(self):
        import llguidance
        self.module = llguidance
        self.tokenizer = llguidance.LLTokenizer('byte')

    def compile(self, text):
        grammar = self.module.grammar_from('grammar', text)
        matcher = self.module.LLMatcher(self.tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def accepts(self, compiled, text):
        matcher = compiled.deep_copy()
        tokens = list(text)
        if matcher.try_consume_tokens(tokens) != len(tokens):
            if matcher.is_error():
                raise ValueError(matcher.get_error())
            return False
        return matcher.is_accepting()


def main():
    engine = {'xgrammar': XGrammar, 'llguidance': LLGuidance}[sys.argv[1]]()
    out = os.fdopen(os.dup(1), 'w', buffering=1)
    os.dup2(2, 1)  # what the engine prints is no answer
    print('ready', file=out)
    grammar = None
    while line := sys.stdin.buffer.readline():
        kind, length = line.split()
        text = sys.stdin.buffer.read(int(length))
        try:
            if kind == b'G':
                grammar = None
                grammar = engine.compile(text.decode())
                answer = 'ok'
            else:
                answer = '1' if grammar is not None and engine.accepts(grammar, text) else '0'
        except Exception as e:
            answer = 'error ' + ' '.join(str(e).split())[:300]
        print(answer, file=out)


main()
