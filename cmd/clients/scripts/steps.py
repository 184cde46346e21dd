"""What the steps of every Python client share: where the server is, the tool, and how a step is reported."""

import json
import os
import traceback

BASE = os.environ["BASE_URL"]
MODEL = os.environ["MODEL"]
SCRIPTED = MODEL == "scripted"  # a script does its task; a real model may do anything that is legal
SECRET = os.environ["SECRET"]
MCP = os.environ["MCP_URL"]  # an MCP server that has the tool, too

ASK = "What is the secret word? Ask the tool."
ASK_FOR_JSON = "What is the weather in Oslo?"
DESCRIPTION = "Returns the secret word"
PARAMETERS = {
    "type": "object",
    "required": ["reason"],
    "additionalProperties": False,
    "properties": {"reason": {"type": "string", "maxLength": 40, "description": "why it is asked for"}},
}
WEATHER = {
    "type": "object",
    "required": ["city", "celsius"],
    "additionalProperties": False,
    "properties": {"city": {"type": "string", "enum": ["Oslo", "Rome"]}, "celsius": {"type": "integer", "minimum": -60, "maximum": 60}},
}

runs = 0


def run(reason):
    """The tool; reason is its argument, or all of them as JSON or a dict."""
    global runs
    if isinstance(reason, str) and reason.lstrip().startswith("{"):
        reason = json.loads(reason)
    if isinstance(reason, dict):
        reason = reason["reason"]
    assert isinstance(reason, str), reason
    runs += 1
    return f"The secret word is {SECRET}"


def whole(number):
    """Tells whether a number is an integer; JSON Schema counts 3.0 as one."""
    return number == int(number)


def executed(outputs, text=SECRET):
    """Asserts that a scripted model had the server execute the tool, and was told its result."""
    if SCRIPTED:
        assert [o for o in outputs if SECRET in str(o)], outputs
        assert SECRET in text, text


def told(text):
    """Asserts that a scripted conversation ended with the tool's result."""
    if SCRIPTED:
        assert runs > 0, "the tool was not run"
        assert SECRET in str(text), f"the answer is {text!r}"


def step(name):
    """Runs what it decorates as a step."""

    def decorate(f):
        global runs
        runs = 0
        try:
            f()
            print(f"ok {name}", flush=True)
        except Exception as e:
            place = " | ".join(line.strip() for line in traceback.format_tb(e.__traceback__)[-2:])
            print(f"FAIL {name}: {type(e).__name__}: {e} {place}".replace("\n", " | "), flush=True)

    return decorate


def end():
    print("end", flush=True)
