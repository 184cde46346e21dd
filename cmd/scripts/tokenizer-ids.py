"""Writes texts.json, and beside each tokenizer.json the ids of the texts that Python's tokenizers gives.

    tokenizer-ids.py build/tokenizers
"""

import glob
import gzip
import json
import os
import random
import sys

from tokenizers import Tokenizer

FIXED = [
    "", "Hello world", "  two  spaces   three    four     ", "\t\ttabs\n\n\n newline \r\n crlf\r\n\r\n",
    "1234567890 12 345 6,789.01 3.14159e-10 ١٢٣٤ ⅷ ½ 二〇二六", "I'm you're WE'LL they'D don'T it'S 'sup 'S", "ſ'ſ K Å",
    "👍🏽 👨‍👩‍👧‍👦 🇩🇪🇫🇷 ❤️‍🔥 ☺️", "日本語のテキスト。カタカナ ひらがな 漢字", "한국어 텍스트입니다", "العربية مع تشكيل مُحَمَّد", "עברית עם ניקוד שָׁלוֹם",
    "हिन्दी पाठ क्षत्रिय", "ภาษาไทยไม่มีช่องว่าง", "Привет, ПриветМир camelCaseСлово ЁЖ", "Ελληνικά κείμενο ΑΒγΔ", "Tiếng Việt có dấu",
    "cafe\u0301 (decomposed) café", "\u00a0nbsp\u2003em\u3000ideographic\u200bzwsp\ufeffbom", "z̵̢̛͎a̷l̸g̷o", "<|im_start|>user\n<|im_end|> <s> </s> <bos>",
    "<｜begin▁of▁sentence｜> ▁▁ under ▁", "a" * 300, " " * 300, "\n" * 40, "=" * 200, "!?" * 50, "0" * 100, "\x00\x01\x02 control \x7f",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟘𝟙𝟚", "ﬁ ligature ① ㎏ ²", "İstanbul ıSPARTA ß ẞ", "\u2028line\u2029para\u0085nel\x0bvt\x0cff", " leading", "trailing ", "   \n   \n x",
]
SCRIPTS = [
    "abcdefghijklmnopqrstuvwxyz", "ABCDEFXYZ", "0123456789", " \t\n\r  ", ".,;:!?-_=+*/\\|<>()[]{}'\"`~@#$%^&", "äöüßéèñçøåœÀÉÎ",
    "абвгдежзиклмнопрстуфАБВГД", "αβγδεζηθΑΒΓ", "日本語中文汉字漢語天气学生", "ひらがなカタカナー", "한국어텍스트", "العربيةنص", "हिन्दीपाठ", "ภาษาไทย",
    "👍🎉🔥💡🚀❤️🏽", "\u0301\u0308\u200d\ufe0f", "½²①ⅷ٣४",
]


def mixed(pick):
    """A text of a few scripts, with the odd space."""
    some = [pick.choice(SCRIPTS) for _ in range(pick.randint(1, 5))]
    text, length = "", pick.randint(1, 60)
    while len(text) < length:
        if pick.random() < 0.2:
            text += pick.choice([" ", "  ", "   ", "\n", "\n\n", " \n", "\t", "\r\n"])
        else:
            text += "".join(pick.choice(pick.choice(some)) for _ in range(pick.randint(1, 12)))
    return text


def assigned(pick):
    """A text of any code points."""
    return "".join(chr(c) for c in (pick.randint(1, 0x2FA1D) for _ in range(pick.randint(1, 20))) if not 0xD800 <= c <= 0xDFFF)


def parts(pick, text, count, longest):
    """Parts of a text from random places."""
    for _ in range(count):
        at = pick.randrange(max(1, len(text)))
        yield text[at : at + pick.randint(20, longest)]


def texts():
    """The texts: fixed and random ones, code, and the data that is shared."""
    pick = random.Random(7)
    out = FIXED + [mixed(pick) for _ in range(2500)] + [assigned(pick) for _ in range(500)]
    for path in sorted(glob.glob("../shared/data/templates/*.jinja")):
        out += parts(pick, open(path, encoding="utf-8").read(), 7, 3000)
    schemas = "../shared/data/schemas/maskbench-dev.jsonl.gz"
    if os.path.exists(schemas):
        lines = gzip.open(schemas, "rt", encoding="utf-8").read().splitlines()
        out += [line[:3000] for line in pick.sample(lines, min(500, len(lines)))]
    for path in sorted(glob.glob("engine/**/*.go", recursive=True) + glob.glob("**/*.md", recursive=True)):
        out += parts(pick, open(path, encoding="utf-8").read(), 1, 3000)
    return out


def main():
    all_texts = texts()
    with open(os.path.join(sys.argv[1], "texts.json"), "w", encoding="utf-8") as out:
        json.dump(all_texts, out)
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "real/*/tokenizer.json"))):
        tokenizer = Tokenizer.from_file(path)
        tokenizer.encode_special_tokens = True  # text spells no control token
        ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in all_texts]
        with open(os.path.join(os.path.dirname(path), "ids.json"), "w", encoding="utf-8") as out:
            json.dump(ids, out)


main()
