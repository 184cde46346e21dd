#!/usr/bin/env python3
"""Computes with Python's Jinja2 what package jinja has to render. Needs: pip install Jinja2==3.1.6

golden.py language               rewrites the expectations in testdata/language/*.txt
golden.py corpus DIR             writes testdata/corpus.txt: a SHA-256 for each template of DIR and conversation
golden.py render FILE CONV       prints one template of DIR with one conversation, to see a difference
golden.py bench VARS FILE...    prints the milliseconds that Python takes for each template, parsed before
golden.py fuzz SEED COUNT        prints COUNT random templates and their results as JSON lines
"""

import datetime
import hashlib
import json
import pathlib
import random
import sys
import time

import jinja2
import jinja2.ext
import jinja2.sandbox

HERE = pathlib.Path(__file__).parent
NOW = datetime.datetime(2025, 3, 9, 14, 5, 6, 789012)


class Generation(jinja2.ext.Extension):
    """The generation tag marks what the assistant wrote; rendering only needs its body."""

    tags = {"generation"}

    def parse(self, parser):
        lineno = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        call = self.call_method("_body")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(lineno)

    def _body(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def strftime_now(format):
    return NOW.strftime(format)


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = strftime_now
    return env


ENV = environment()


def render(source, variables):
    """Returns the output and None, or None and how it fails: what the template raised, else that it does. No template can see
    the words of Python's errors."""
    try:
        out = ENV.from_string(source).render(**variables)
        out.encode("utf-8")
        return out, None
    except Exception as e:  # whatever a template can raise
        return None, f"raised: {e}" if type(e) is jinja2.exceptions.TemplateError else "fails"


def cases(text):
    """Splits a file of cases: the lines of a template, then a line that begins with a tab and holds the expectation."""
    template = []
    for line in text.removesuffix("\n").split("\n"):  # splitlines also splits at U+2028
        if line.startswith("#: "):
            yield line, None
        elif line.startswith("\t"):
            yield None, "\n".join(template)
            template = []
        else:
            template.append(line)
    if template:
        yield None, "\n".join(template)


def language():
    variables = json.loads((HERE / "language" / "vars.json").read_text())
    for path in sorted((HERE / "language").glob("*.txt")):
        lines = []
        for comment, template in cases(path.read_text()):
            if comment is not None:
                lines.append(comment)
                continue
            out, error = render(template, variables)
            want = {"error": error} if error is not None else out
            lines += [template, "\t" + json.dumps(want, ensure_ascii=False)]
        path.write_text("\n".join(lines) + "\n")


def conversation(path):
    """A conversation's variables, as transformers' apply_chat_template passes them."""
    variables = {"tools": None, "documents": None, "add_generation_prompt": True, "bos_token": "<BOS>", "eos_token": "<EOS>"}
    variables.update(json.loads(path.read_text()))
    return variables


def digest(out, error):
    if error is not None:
        return "error " + hashlib.sha256(error.encode()).hexdigest()
    return hashlib.sha256(out.encode()).hexdigest()


def corpus(directory):
    lines = ["# Written by golden.py corpus: template, conversation, SHA-256 of the output or of the error."]
    for template in sorted(pathlib.Path(directory).glob("*.jinja")):
        source = template.read_bytes().decode()
        for conv in sorted((HERE / "conversations").glob("*.json")):
            lines.append(f"{template.stem} {conv.stem} {digest(*render(source, conversation(conv)))}")
    (HERE / "corpus.txt").write_text("\n".join(lines) + "\n")


def show(template, conv):
    out, error = render(pathlib.Path(template).read_bytes().decode(), conversation(HERE / "conversations" / f"{conv}.json"))
    sys.stdout.write(out if error is None else error + "\n")


def bench(variables, *templates):
    given = {"tools": None, "documents": None, "add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>"}
    given.update(json.loads(pathlib.Path(variables).read_text()))
    for path in templates:
        template = ENV.from_string(pathlib.Path(path).read_bytes().decode())
        times = []
        for _ in range(20):
            start = time.process_time()
            template.render(**given)
            times.append(time.process_time() - start)
        print(f"{min(times) * 1000:8.2f} ms  {pathlib.Path(path).stem}")


def main():
    command, args = sys.argv[1], sys.argv[2:]
    if command == "language":
        language()
    elif command == "corpus":
        corpus(*args)
    elif command == "render":
        show(*args)
    elif command == "bench":
        bench(*args)
    elif command == "fuzz":
        import fuzz  # beside this file

        fuzz.run(int(args[0]), int(args[1]), render)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
