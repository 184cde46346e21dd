"""Walks schemas through a rival as ../shared's walker does, but gives up on a schema, and on the rest of the file, when their time is over.

usage: rival-bench.py WALKER ENGINE FILE.jsonl[.gz] TOKENIZER.json SECONDS_EACH SECONDS_ALL

The walker's engine runs in a process of its own: what is compiled in C++ cannot be interrupted, only killed. The first mask of a schema that was
not compiled in its time counts with that time. Prints one JSON object.
"""
import gzip, json, multiprocessing, sys, time


def walker(path):
    """The names that the walker defines: it is a program, and would run if it was imported."""
    names = {'__name__': 'walker'}
    exec(open(path).read().rsplit('\nmain()', 1)[0], names)
    return names


def walk(pipe, path, engine, tokenizer):
    """Answers each schema of the pipe with its times in ns: 'compiled' as soon as it is, then its verdict."""
    w = walker(path)
    tokens = w['Tokenizer'].from_file(tokenizer)
    e = {'llguidance': w['LLG'], 'xgrammar': w['XGR']}[engine](tokenizer)
    pipe.send(('ready', 0))
    while True:
        try:
            row = json.loads(pipe.recv())
        except EOFError:  # there are no more
            return
        start = time.perf_counter_ns()
        try:
            g = e.compile(row['schema'])
        except Exception:
            pipe.send(('compile', [], []))
            continue
        took = time.perf_counter_ns() - start
        pipe.send(('compiled', took))
        verdict, first, masks = 'ok', [], []
        for i, t in enumerate(row['tests']):
            text = json.dumps(t['data'], ensure_ascii=False, separators=(',', ':'))
            times = []
            accepted = e.walk(g, tokens.encode(text, add_special_tokens=False).ids, True, times)
            if i == 0 and times:
                first.append(took + times.pop(0))
            masks += times
            if accepted != t['valid']:
                verdict = 'accepted-invalid' if accepted else 'refused-valid'
        pipe.send((verdict, first, masks))


class Rival:
    def __init__(self, arguments):
        self.arguments = arguments
        self.start()

    def start(self):
        context = multiprocessing.get_context('spawn')
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=walk, args=(theirs, *self.arguments), daemon=True)
        self.process.start()
        theirs.close()
        self.pipe.recv()

    def judge(self, line, seconds):
        self.pipe.send(line)
        end, compiled = time.time() + seconds, False
        while self.pipe.poll(max(0, end - time.time())):
            try:
                answer = self.pipe.recv()
            except EOFError:  # it crashed
                self.start()
                return 'crashed', [], []
            if answer[0] != 'compiled':
                return answer
            compiled = True
        self.process.kill()
        self.process.join()
        self.start()
        return 'timed-out', [] if compiled else [seconds * 10**9], []


def percentiles(times, unit):
    import numpy
    return {k: float(numpy.percentile(numpy.array(times) / unit, q)) if times else 0 for k, q in [('p50', 50), ('p99', 99), ('p99.9', 99.9), ('max', 100)]}


def main():
    path, engine, file, tokenizer, each, every = sys.argv[1:]
    lines = (gzip.open(file, 'rt') if file.endswith('.gz') else open(file)).readlines()
    rival = Rival((path, engine, tokenizer))
    end = time.time() + float(every)
    n, first, masks = {}, [], []
    for line in lines:
        if time.time() > end:
            break
        verdict, f, m = rival.judge(line, float(each))
        n[verdict] = n.get(verdict, 0) + 1
        first += f
        masks += m
    print(json.dumps({'n': n, 'walked': sum(n.values()), 'mask_us': percentiles(masks, 1e3), 'first_ms': percentiles(first, 1e6)}))


if __name__ == '__main__':
    main()
