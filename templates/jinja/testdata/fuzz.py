"""Random templates for golden.py fuzz: well-formed more often than not, over the variables of language/vars.json."""

import copy
import json
import pathlib
import random
import re

VARIABLES = json.loads((pathlib.Path(__file__).parent / "language" / "vars.json").read_text())
NAMES = list(VARIABLES) + ["x", "y", "x", "y", "missing", "ns", "m"]
ATOMS = ["0", "1", "-1", "2", "3.5", "-0.0", "1e3", "10", "true", "false", "none", "''", "'a'", "'b'", "'ab'", "'Hello'", "' pad '", "'1'", "'é'",
         "'%s'", "'{}'", "'<'", "'a,b'", "'\\n'", "[]", "{}", "()", "'x\\ny'"]
BINARY = ["+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"]
ATTRIBUTES = ["name", "role", "content", "items", "keys", "values", "get", "upper", "age", "a", "b", "0", "1", "nope", "tags", "address", "append",
              "index", "count", "copy"]
METHODS = {
    "upper": 0, "lower": 0, "title": 0, "capitalize": 0, "strip": 1, "lstrip": 1, "rstrip": 1, "split": 2, "rsplit": 2, "splitlines": 1, "replace": 3,
    "startswith": 1, "endswith": 1, "find": 2, "rfind": 1, "count": 1, "join": 1,
    "isdigit": 0, "isalpha": 0, "isspace": 0, "partition": 1, "rpartition": 1, "items": 0, "keys": 0, "values": 0, "get": 2, "index": 1,
    "removeprefix": 1, "removesuffix": 1, "copy": 0,
}
FILTERS = {
    "capitalize": 0, "count": 0, "d": 2, "default": 2, "dictsort": 1, "e": 0, "first": 0, "float": 1,
    "indent": 3, "int": 1, "items": 0, "join": 2, "last": 0, "length": 0, "list": 0, "lower": 0, "max": 0, "min": 0, "reject": 1, "rejectattr": 2,
    "replace": 3, "reverse": 0, "safe": 0, "select": 1, "selectattr": 2, "sort": 2, "string": 0, "title": 0,
    "tojson": 1, "trim": 1, "unique": 1, "upper": 0, "map": 1,
}
TESTS = ["defined", "undefined", "none", "string", "number", "integer", "float", "mapping", "sequence", "iterable", "boolean", "true", "false",
         "odd", "even", "in [1, 'a']", "eq 1", "divisibleby 2", "gt 0"]
KEYWORDS = {"tojson": ["indent=2", "sort_keys=true", "ensure_ascii=true"], "sort": ["reverse=true", "attribute='age'", "case_sensitive=true"],
            "map": ["attribute='name'", "'upper'", "'length'", "'string'"], "join": ["attribute='name'"],
            "select": ["'string'", "'odd'", "'defined'"], "reject": ["'number'", "'none'"], "selectattr": ["'name'", "'age', 'gt', 36"],
            "unique": ["attribute='role'"], "indent": ["2, true", "blank=true"], "d": ["'z', true"],
            "dictsort": ["by='value'", "reverse=true"]}


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.tame = True

    def pick(self, *options):
        return self.rng.choice(options)

    def typed(self, kind, depth):
        """An expression that mostly has the type that it is asked for, so that templates run on."""
        if self.rng.random() < 0.03:
            return self.wild(depth)
        if kind == "any":
            kind = self.pick("str", "str", "num", "list", "bool", "dict")
        leaf, make = getattr(self, kind)(depth)
        return self.rng.choice(leaf) if depth <= 0 or self.rng.random() < 0.15 else self.rng.choice(make)()

    def str(self, depth):
        t = lambda kind: self.typed(kind, depth - 1)
        leaf = ["s", "empty", "padded", "uni", "multi", "html", "quotes", "'a'", "'ab c'", "'x,y,z'", "'é😀'", "' a\\n b '", "'%'", "person.name", "'007'", "'Ωσς'"]
        make = [
            lambda: f"({t('str')} ~ {t('any')})", lambda: f"({t('str')} + {t('str')})", lambda: f"({t('str')} * {self.pick(0, 1, 2, 3)})",
            lambda: f"({t('str')})|{self.pick('upper', 'lower', 'title', 'capitalize', 'trim', 'e', 'string', 'reverse', 'safe', 'indent')}",
            lambda: f"({t('str')})|{self.pick('indent(2, true)', 'indent(1, blank=true)')}",
            lambda: f"({t('str')}).{self.pick('upper', 'lower', 'title', 'capitalize', 'strip', 'lstrip', 'rstrip')}()",
            lambda: f"({t('str')}).{self.pick('strip', 'lstrip', 'rstrip', 'removeprefix', 'removesuffix')}({t('str')})",
            lambda: f"({t('str')}).replace({t('str')}, {t('str')}{self.pick('', ', 1', ', -1', ', 0')})", lambda: f"({t('str')})|replace({t('str')}, {t('any')})",
            lambda: f"({t('str')})[{self.bound()}:{self.bound()}{self.pick('', '', ':2', ':-1', ':-2')}]", lambda: f"({t('any')})|tojson{self.pick('', '(indent=1)', '(sort_keys=true)', '(ensure_ascii=true)')}",
            lambda: f"({t('list')})|join{self.pick('', '(' + t('str') + ')')}", lambda: f"({t('any')})|string", lambda: f"({t('str')} if {t('bool')} else {t('str')})",
            lambda: f"({t('str')}).split({self.pick(chr(39) + ',' + chr(39), '', 'none')})|{self.pick('first', 'last')}", lambda: f"m({t('any')})",
            lambda: f"({t('list')})|{self.pick('string')}", lambda: f"({t('dict')})|string",
        ]
        return leaf, make

    def bound(self):
        return self.pick("", "", "0", "1", "-1", "2", "-3", "5")

    def num(self, depth):
        t = lambda kind: self.typed(kind, depth - 1)
        leaf = ["0", "1", "2", "-3", "7", "2.5", "-0.5", "n", "neg", "big", "f", "whole", "tiny", "true", "person.age", "10"]
        make = [
            lambda: f"({t('num')} {self.pick('+', '-', '*', '/', '//', '%')} {t('num')})", lambda: f"({t('num')} {self.pick('+', '-', '*', '//', '%')} {self.pick(3, -2, 0.5, 7)})",
            lambda: f"({t('str')}|length)", lambda: f"({t('list')}|{self.pick('length', 'count')})", lambda: f"({t('any')})|int(0)", lambda: f"({t('str')})|{self.pick('int', 'float', 'int(3)')}",
            lambda: f"({t('num')})|{self.pick('int', 'float')}",
            lambda: f"-{t('num')}", lambda: f"({t('str')}).{self.pick('find', 'count', 'rfind')}({t('str')})", lambda: f"[{t('num')}, {t('num')}]|{self.pick('max', 'min')}",
            lambda: f"({t('num')} if {t('bool')} else {t('num')})",
        ]
        return leaf, make

    def list(self, depth):
        t = lambda kind: self.typed(kind, depth - 1)
        leaf = ["nums", "words", "mixed", "nested", "[]", "[1, 2, 3]", "['b', 'A']", "users|map(attribute='name')|list", "range(4)|list", "(1, 'x')", "person.tags"]
        make = [
            lambda: f"[{t('any')}, {t('any')}]", lambda: f"({t('list')} + {self.pick('[]', '[1]', 'nums')})", lambda: f"({t('list')})[{self.bound()}:{self.bound()}{self.pick('', ':2', ':-1')}]",
            lambda: f"({t('str')}).{self.pick('split()', 'splitlines()', 'split(' + chr(39) + ',' + chr(39) + ', 1)', 'partition(' + chr(39) + ' ' + chr(39) + ')', 'rsplit(none, 1)', 'rpartition(' + chr(39) + ',' + chr(39) + ')', 'splitlines(true)')}",
            lambda: f"({t('list')})|map('{self.pick('string', 'string', 'tojson', 'e', 'default')}')|list", lambda: f"({t('list')})|map('string')|{self.pick('sort', 'unique', 'sort(true)', 'sort(case_sensitive=true)', 'reverse')}|list",
            lambda: f"({t('list')})|{self.pick('select', 'reject')}{self.pick('', '(' + chr(39) + self.pick('string', 'number', 'defined', 'none', 'iterable', 'mapping') + chr(39) + ')')}|list",
            lambda: f"({t('str')})|list", lambda: f"({t('list')})|reverse|list", lambda: f"({t('list')} * 2)",
            lambda: f"({t('dict')})|{self.pick('list', 'items|list', 'dictsort')}", lambda: f"({t('dict')}).{self.pick('keys', 'values', 'items')}()|list", lambda: f"(users|{self.pick('selectattr', 'rejectattr')}({self.pick(chr(39) + 'active' + chr(39), chr(39) + 'age' + chr(39) + ', ' + chr(39) + 'gt' + chr(39) + ', 36', chr(39) + 'role' + chr(39) + ', ' + chr(39) + 'eq' + chr(39) + ', ' + chr(39) + 'user' + chr(39))})|list)",
            lambda: f"users|sort(attribute='{self.pick('name', 'age', 'age,name', 'role')}'{self.pick('', ', reverse=true')})|list", lambda: f"({t('list')}, {t('any')})",
        ]
        return leaf, make

    def bool(self, depth):
        t = lambda kind: self.typed(kind, depth - 1)
        leaf = ["true", "false", "t", "no", "missing", "nothing", "zero", "empty"]
        make = [
            lambda: f"({t('num')} {self.pick('<', '<=', '==', '!=', '>', '>=')} {t('num')})", lambda: f"({t('str')} {self.pick('<', '==', 'in', 'not in', '>=')} {t('str')})",
            lambda: f"({t('any')} {self.pick('==', '!=')} {t('any')})", lambda: f"({t('any')} in {t('list')})", lambda: f"({t('bool')} {self.pick('and', 'or')} {t('bool')})", lambda: f"not {t('bool')}",
            lambda: f"({t('any')} is {self.pick('', 'not ')}{self.rng.choice(TESTS[:12])})", lambda: f"({t('num')} is {self.pick('odd', 'even', 'divisibleby 3', 'gt 1', 'le 5')})",
            lambda: f"({t('str')}).{self.pick('isdigit', 'isalpha', 'isspace')}()", lambda: f"({t('str')}).{self.pick('startswith', 'endswith')}({t('str')})",
            lambda: f"({t('num')} < {t('num')} <= {t('num')})", lambda: f"{t('list')} == {t('list')}",
        ]
        return leaf, make

    def dict(self, depth):
        t = lambda kind: self.typed(kind, depth - 1)
        leaf = ["d", "person", "{}", "users[0]", "{'a': 1, 'B': 2}", "person.address"]
        make = [lambda: f"{{{t('str')}: {t('any')}}}", lambda: f"dict(a={t('any')})", lambda: f"dict(d, z={t('num')})", lambda: f"{{'k': {t('any')}, 'l': {t('list')}}}", lambda: f"dict({t('dict')}.items())"]
        return leaf, make

    def expr(self, depth):
        return self.typed("any", depth) if self.tame else self.wild(depth)

    def args(self, most, depth):
        return ", ".join(self.expr(depth - 1) for _ in range(self.rng.randint(0, most)))

    def wild(self, depth):
        """Any expression, most of which fail."""
        if depth <= 0:
            return self.rng.choice(NAMES + ATOMS)
        kind = self.rng.randrange(15)
        e = lambda: self.wild(depth - 1)
        if kind < 3:
            return f"({e()} {self.rng.choice(BINARY)} {e()})"
        if kind == 3:
            return f"{e()} {self.rng.choice(BINARY)} {e()}"
        if kind < 7:
            name = self.rng.choice(list(FILTERS))
            if name in KEYWORDS and self.rng.random() < 0.6:
                args = self.rng.choice(KEYWORDS[name])
            else:
                args = self.args(FILTERS[name], depth)
            return f"({e()})|{name}" + (f"({args})" if args else "")
        if kind < 9:
            name = self.rng.choice(list(METHODS))
            return f"({e()}).{name}({self.args(METHODS[name], depth)})"
        if kind == 9:
            bound = lambda: self.pick("", "", "0", "1", "-1", "2", "-3", "none")
            return f"({self.rng.choice(NAMES)})[{bound()}:{bound()}{self.pick('', ':', ':2', ':-1')}]"
        if kind == 10:
            return f"({e()})[{e()}]"
        if kind == 11:
            return f"({e()}).{self.rng.choice(ATTRIBUTES)}"
        if kind == 12:
            return f"({e()} is {self.pick('', 'not ')}{self.rng.choice(TESTS)})"
        if kind == 13:
            return f"({e()} if {e()} else {e()})"
        return self.pick(f"[{e()}, {e()}]", f"({e()}, {e()})", f"{{{self.pick(chr(39) + 'k' + chr(39), e())}: {e()}}}", f"not {e()}", f"-{e()}",
                         f"range({self.pick('3', '1, 4', '5, 0, -2')})", f"dict(a={e()})", f"({e()} ~ {e()})", f"m({self.args(2, depth)})",
                         "loop.index", "loop.last", "ns.v")

    def tag(self, inside):
        return "{%" + self.pick("", "", "", "-", "+") + f" {inside} " + self.pick("", "", "", "-", "+") + "%}"

    def text(self):
        return self.pick("", "a", " ", "\n", "  \n", "\n  ", "x y\n", "é", "\n\n", "{ ", "%", "# ")

    def body(self, depth):
        return "".join(self.text() + self.statement(depth) for _ in range(self.rng.randint(1, 3))) + self.text()

    def statement(self, depth):
        e = lambda: self.expr(self.rng.randint(0, 3))
        kind = self.rng.randrange(15) if depth > 0 else self.rng.randrange(5)
        if kind < 4:
            return "{{" + self.pick("", "-") + f" {e()} " + self.pick("", "-") + "}}"
        if kind == 4:
            return self.tag(f"set {self.pick('x', 'y', 'ns.v', 'x, y', 'n')} = {e()}")
        body = lambda: self.body(depth - 1)
        if kind < 7:
            more = self.pick("", self.tag("else") + body(), self.tag(f"elif {e()}") + body())
            return self.tag(f"if {e()}") + body() + more + self.tag("endif")
        if kind < 10:
            target = self.pick("x", "x", "y", "x, y")
            return (self.tag(f"for {target} in {e()}{self.pick('', '', f' if {e()}')}") + body()
                    + self.pick("", "", self.tag(f"if {e()}") + self.tag(self.pick("break", "continue")) + self.tag("endif"))
                    + self.pick("", self.tag("else") + body()) + self.tag("endfor"))
        if kind == 10:
            return self.tag(f"macro m({self.pick('', 'x', 'x, y=1', 'x=n')})") + body() + self.tag("endmacro")
        if kind < 13:
            return self.tag(f"set {self.pick('x', 'y', 'ns.v')}{self.pick('', ' | upper', ' | trim')}") + body() + self.tag("endset")
        if kind == 13:
            return self.tag(f"filter {self.pick('upper', 'trim', 'indent(2)', 'replace(' + chr(39) + 'a' + chr(39) + ', n)')}") + body() + self.tag("endfilter")
        return self.pick(self.tag("generation") + body() + self.tag("endgeneration"), "{# c #}", "{#- c -#}", self.tag("raw") + " {{ x }} " + self.tag("endraw"))

    def template(self):
        self.tame = self.rng.random() < 0.75
        start = self.pick("", "", "{% set ns = namespace(v=1) %}", "{% macro m(x, y=2) %}{{ x }}{{ y }}{% endmacro %}",
                          "{% set ns = namespace(v=1) %}{% macro m(x='') %}<{{ x }}>{% endmacro %}")
        return start + self.body(2)


def skip(template, result):
    """What REFERENCE.md lists as different: addresses of objects, constants sliced in place."""
    constant = r"(?:\d|true|false|none|\|(?:wordcount|length|count|int|float|first|last|min|max)(?:\([^()]*\))?)(?:\)*\|\w+(?:\([^()]*\))?)*"
    return re.search(r"(?i)" + constant + r"\)*\[[^\]]*:", template) is not None or re.search(r"(?i)0x[0-9a-f]{6}|<class |<built-in|method-wrapper", result) is not None


def run(seed, count, render):
    generator = Generator(random.Random(seed))
    for _ in range(count):
        template = generator.template()
        out, error = render(template, copy.deepcopy(VARIABLES))  # the indent filter appends to lists
        if skip(template, out or error or ""):
            continue
        print(json.dumps({"template": template, "out": out, "error": error}))
