import asyncio
import json
import logging
from urllib.parse import urlparse

import lmstudio as lms
from steps import BASE, MODEL, SCRIPTED, end, step

HOST = urlparse(BASE).netloc
FEW = {} if SCRIPTED else {"maxTokens": 24}
orders = 0
bad = []


class Judge(logging.Handler):
    """The SDK logs what it cannot read."""

    def emit(self, record):
        if record.levelno >= logging.WARNING and "deprecat" not in record.getMessage():
            bad.append(record.getMessage())


logging.getLogger().addHandler(Judge())


def order(*answers):
    """Has a scripted model answer as told, one round after the other."""
    global orders
    orders += 1
    return f"[[py{orders}]]{'[[|]]'.join(answers)}[[/]]" if SCRIPTED else "Say a word."


def call(name, **arguments):
    return json.dumps({"tool": name, "arguments": arguments})


def said(got, want):
    assert not SCRIPTED or got == want, f"said {got!r}, not {want!r}"


def fails(kind, f):
    try:
        f()
    except kind:
        return
    raise AssertionError("it did not fail")


client = lms.Client(HOST)
llm = client.llm.model(MODEL)


@step("lists and info")
def _():
    assert client.list_downloaded_models() and client.list_loaded_models()
    assert llm.get_context_length() > 0 and llm.get_info().identifier and llm.get_load_config()


@step("load, unload")
def _():
    other = client.llm.load_new_instance(MODEL, "second-py", config={"contextLength": 2048}, ttl=60)
    assert other.identifier == "second-py"
    other.unload()
    fails(lms.LMStudioModelNotFoundError, lambda: client.llm.unload("second-py"))
    fails(lms.LMStudioModelNotFoundError, lambda: client.llm.load_new_instance("nope"))


@step("errors have their class")
def _():
    fails(lms.LMStudioPresetNotFoundError, lambda: llm.respond("hi", preset="nope"))
    fails(lms.LMStudioServerError, lambda: client.repository.search_models("x"))
    image = client.files.prepare_image(b"\x89PNG\r\n\x1a\n0000", "a.png")
    chat = lms.Chat()
    chat.add_user_message("see", images=[image])
    fails(lms.LMStudioServerError, lambda: llm.respond(chat))


@step("respond with settings")
def _():
    config = {"temperature": 0.5, "topKSampling": 4, "topPSampling": 0.9, "minPSampling": 0.1, "repeatPenalty": 1.2, "maxTokens": 24, "stopStrings": ["STOP"]}
    r = llm.respond(order("hello there"), config=config)
    said(r.content, "hello there")
    assert r.stats.stop_reason and r.prediction_config and r.load_config


@step("respond, streamed and cancelled")
def _():
    said("".join(f.content for f in llm.respond_stream(order("<think>hm</think>so"), config=FEW)), "<think>hm</think>so")
    stream = llm.respond_stream(order("x…"), config=FEW)
    for _ in stream:
        stream.cancel()
    assert not SCRIPTED or stream.result().stats.stop_reason == "userStopped"


@step("respond, structured")
def _():
    schema = {"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}}, "required": ["city"]}
    assert llm.respond(order('{"city": "Oslo"}'), response_format=schema).parsed["city"] in ("Oslo", "Rome")


@step("complete, tokens, template")
def _():
    said(llm.complete(order("on"), config={"maxTokens": 8}).content, "on")
    assert llm.count_tokens("hello") == len(llm.tokenize("hello")) > 0
    assert "hello" in llm.apply_prompt_template("hello")


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def boom(n: int) -> int:
    """Fails."""
    raise ValueError("boom")


THREE = call("add", a=1, b=2)
SUMS = [call("add", a=n, b=n) for n in range(5)]


def act(answers, tools, want, **more):
    texts = []
    limit = {} if SCRIPTED else {"max_prediction_rounds": 2}
    r = llm.act(order(*answers), tools, on_message=lambda m: texts.append(str(m)), config=FEW, **{**limit, **more})
    assert not SCRIPTED or r.rounds == want, f"{r.rounds} rounds"
    return "".join(texts)


for name, answers, tools, want, more in [
    ("no call", ["nothing to add"], [add], 1, {}),
    ("one round", [THREE, "it is 3"], [add], 2, {}),
    ("five rounds", SUMS + ["done"], [add], 6, {}),
    ("parallel", [SUMS[0] + "\n" + SUMS[1], "both"], [add], 2, {"max_parallel_tool_calls": 2}),
    ("a tool that raises", [call("boom", n=1), "it failed"], [boom], 2, {}),
    ("an undeclared tool is text", ['{"tool": "nope", "arguments": {}}'], [add], 1, {}),
    ("a limit of rounds", [THREE, "the limit"], [add], 2, {"max_prediction_rounds": 2}),
    ("thinking", ["<think>add</think>" + THREE, "3"], [add], 2, {}),
]:
    step(f"act, {name}")(lambda a=answers, t=tools, w=want, m=more: act(a, t, w, **m))

client.close()


@step("async: all of it at once")
def _():
    async def run():
        async with lms.AsyncClient(HOST) as c:
            m = await c.llm.model(MODEL)
            said((await m.respond(order("async"), config=FEW)).content, "async")
            if SCRIPTED:
                assert (await m.act(order(THREE, "3"), [add])).rounds == 2

    asyncio.run(run())


@step("the SDK could read every packet")
def _():
    assert not bad, bad


end()
