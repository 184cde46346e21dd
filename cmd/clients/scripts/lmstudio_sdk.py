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
        if record.levelno >= logging.WARNING and not any(told in record.getMessage() for told in ORDINARY):
            bad.append(record.getMessage())

# What the SDK also logs: that it is to be called in another way, that a call was said to have failed, and what comes for a task
# that was cancelled, since it does not tell the server of that.
ORDINARY = ("deprecat", "Tool call processing generation failed", "already closed channel")


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


def fails(kind, f, says="", code=None):
    """Holds an error's class, its text, and what the server sent for it, against what is wanted."""
    try:
        f()
    except kind as e:
        assert says in str(e), f"{type(e)} {e}"
        data = e.server_error and e.server_error.display_data
        assert code is None or (data["code"] if isinstance(data, dict) else data.code) == code, f"{data!r}"
        return
    raise AssertionError("it did not fail")


packets = 0
for kind in (lms.json_api.ChannelHandler, lms.json_api.RemoteCallHandler):  # what reads the SDK's models out of frames

    def counted(self, message, read=kind.handle_rx_message):
        global packets
        packets += 1
        return read(self, message)

    kind.handle_rx_message = counted

# Each public method of the SDK's objects is to be tried.
methods, tried = set(), set()
LOCAL = {"API_NAMESPACE", "client", "connect", "connected", "disconnect", "remote_call", "close", "api_host", "identifier"}


def watch(label, object):
    """Lists an object's methods and sees which are called."""

    def watched(full, method):
        def call(*args, **more):
            tried.add(full)
            return method(*args, **more)

        return call

    for name in dir(object):
        if name[0] != "_" and name not in LOCAL and callable(getattr(object, name)):
            methods.add(f"{label}.{name}")
            setattr(object, name, watched(f"{label}.{name}", getattr(object, name)))
    return object


client = watch("client", lms.Client(HOST))
for label in ("llm", "embedding", "system", "files", "repository"):
    watch(label, getattr(client, label))
llm = watch("model", client.llm.model(MODEL))


@step("lists and info")
def _():
    assert client.list_downloaded_models() and client.list_loaded_models()
    assert llm.get_context_length() > 0 and llm.get_info().identifier and llm.get_load_config()
    assert client.llm.list_downloaded() and client.llm.list_loaded() and client.system.list_downloaded_models()
    assert client.llm.get_model_info(MODEL).identifier == llm.identifier
    assert client.is_valid_api_host(HOST) and not client.is_valid_api_host("127.0.0.1:1")
    client.find_default_local_api_host()  # there may be one on this machine, or none
    client.llm.model().get_info()


@step("load, unload")
def _():
    other = client.llm.load_new_instance(MODEL, "second-py", config={"contextLength": 2048}, ttl=60)
    assert other.identifier == "second-py"
    watch("model", other).unload()
    client.llm.unload(client.llm.load_new_instance(MODEL, "third-py").identifier)
    fails(lms.LMStudioModelNotFoundError, lambda: client.llm.unload("second-py"))
    fails(lms.LMStudioModelNotFoundError, lambda: client.llm.load_new_instance("nope"))


@step("errors have their class")
def _():
    unserved = "generic.engineDoesNotSupportFeature"
    fails(lms.LMStudioPresetNotFoundError, lambda: llm.respond("hi", preset="nope"), "presets of the app are not served")
    image = client.files.prepare_image(b"\x89PNG\r\n\x1a\n0000", "a.png")
    client.prepare_image(b"\x89PNG\r\n\x1a\n0000", "b.png")
    fails(lms.LMStudioServerError, lambda: client.embedding.model(MODEL))
    fails(lms.LMStudioServerError, lambda: llm.respond("hi", config={"promptTemplate": {"type": "jinja", "jinjaPromptTemplate": {"template": "x"}, "stopStrings": []}}), "its own prompt template", unserved)
    chat = lms.Chat()
    chat.add_user_message("see", images=[image])
    fails(lms.LMStudioServerError, lambda: llm.respond(chat), "text only", unserved)


@step("embeddings")
def _():
    if not SCRIPTED:
        return
    e = watch("embedding model", client.embedding.model("vectors"))
    assert len(e.embed("hello")) == 768 and len(e.embed(["a", "b"])) == 2
    assert e.count_tokens("hello") == len(e.tokenize("hello")) > 0
    assert e.get_context_length() == 2048 and e.get_info().model_key == "vectors" and e.get_load_config()
    more = client.embedding.load_new_instance("vectors", "more-py", ttl=60)
    assert len(client.embedding.list_loaded()) == 2 and client.embedding.list_downloaded()
    assert client.embedding.get_model_info("more-py").identifier == "more-py"
    watch("embedding model", more).unload()
    client.embedding.unload("vectors")


@step("the hub: search, choose, fetch")
def _():
    if not SCRIPTED:
        return fails(lms.LMStudioServerError, lambda: client.repository.search_models("x"))
    (found,) = client.repository.search_models("tiny", limit=3)
    options = found.get_download_options()
    assert len(options) == 2
    shares, finalized = [], []
    key = options[0].download(on_progress=shares.append, on_finalize=lambda: finalized.append(1))
    assert shares[-1].downloaded_bytes == shares[-1].total_bytes and finalized
    assert key in [m.model_key for m in client.list_downloaded_models()]


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
    said("".join(f.content for f in llm.complete_stream(order("and on"), config={"maxTokens": 8})), "and on")
    assert llm.count_tokens("hello") == len(llm.tokenize("hello")) > 0
    assert "hello" in llm.apply_prompt_template("hello")


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


def boom(n: int) -> int:
    """Fails."""
    raise ValueError("boom")


def ping():
    """Takes nothing."""
    return "pong"


odd = lms.ToolFunctionDef(name="odd_name-1", description="raw", parameters={"s": str}, implementation=lambda s: s)
pair = {"type": "function", "function": {"name": "pair", "parameters": {"type": "object", "properties": {"code": {"type": "string", "pattern": "^(a|b)\\1$"}}, "required": ["code"]}}}
one = {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}}
THREE = call("add", a=1, b=2)
SUMS = [call("add", a=n, b=n) for n in range(5)]


def act(answers, tools, rounds, results, **more):
    """Runs a loop and holds its rounds and the tools' results against what is wanted."""
    texts, got = [], []

    def note(m):
        if isinstance(m, lms.ToolResultMessage):
            got.extend(part.content for part in m.content)
        else:
            texts.append("".join(part.text for part in m.content if hasattr(part, "text")))

    limit = {} if SCRIPTED else {"max_prediction_rounds": 2}
    r = llm.act(order(*answers), tools, on_message=note, config=FEW, **{**limit, **more})
    assert not SCRIPTED or r.rounds == rounds, f"{r.rounds} rounds"
    assert not SCRIPTED or len(got) == len(results) and all(any(want in g for g in got) for want in results), f"{got}, not {results}"
    assert not SCRIPTED or not any('"tool"' in t for t in texts) or rounds == 1, f"a call in the text: {texts}"


for name, answers, tools, rounds, results, more in [
    ("no call", ["nothing to add"], [add], 1, [], {}),
    ("one round", [THREE, "it is 3"], [add], 2, ["3"], {}),
    ("five rounds", SUMS + ["done"], [add], 6, ["0", "2", "4", "6", "8"], {}),
    ("two in one turn", [SUMS[0] + "\n" + SUMS[1], "both"], [add], 2, ["0", "2"], {}),
    ("parallel execution", [SUMS[0] + "\n" + SUMS[1], "both"], [add], 2, ["0", "2"], {"max_parallel_tool_calls": 2}),
    ("parallel without a bound, several tools", [THREE + "\n" + call("ping"), "both"], [add, ping], 2, ["3", "pong"], {"max_parallel_tool_calls": None}),
    ("a tool that raises", [call("boom", n=1), "it failed"], [boom], 2, ["boom"], {}),
    ("one of two raises", [call("boom", n=1) + "\n" + THREE, "half"], [boom, add], 2, ["boom", "3"], {}),
    ("no parameters", [call("ping"), "pong"], [ping], 2, ["pong"], {}),
    ("a tool by definition", [call("odd_name-1", s='x"\\é👋'), "ok"], [odd], 2, ["👋"], {}),
    ("many tools", [THREE, "3"], [add, ping, boom, odd], 2, ["3"], {}),
    ("text before the call", ["I add. " + THREE, "3"], [add], 2, ["3"], {}),
    ("an undeclared tool is text", ['{"tool": "nope", "arguments": {}}'], [add], 1, [], {}),
    ("a limit of rounds", [THREE, "the limit"], [add], 2, ["3"], {"max_prediction_rounds": 2}),
    ("thinking", ["<think>add</think>" + THREE, "3"], [add], 2, ["3"], {}),
    ("thinking in each round", ["<think>a</think>" + THREE, "<think>b</think>3"], [add], 2, ["3"], {}),
    ("all callbacks", [THREE, "3"], [add], 2, ["3"], {f"on_{n}": lambda *_: None for n in ("first_token", "prediction_fragment", "round_start", "round_end", "prediction_completed", "prompt_processing_progress")}),
]:
    step(f"act, {name}")(lambda a=answers, t=tools, w=rounds, g=results, m=more: act(a, t, w, g, **m))


def declared(tool, **more):
    return {**FEW, "rawTools": {"type": "toolArray", "tools": [tool], **more}}


@step("respond, a forced call")
def _():
    r = llm.respond(order(call("ping")), config=declared(one, force=True))
    assert r.stats.stop_reason == "toolCalls" and r.content == "", f"{r.stats.stop_reason} {r.content!r}"


@step("respond, arguments that do not fit are text")
def _():
    r = llm.respond(order(call("pair", code="ab")), config=declared(pair))
    assert not SCRIPTED or r.stats.stop_reason == "eosFound" and "ab" in r.content, f"{r.stats.stop_reason} {r.content!r}"


@step("act, an engine that breaks its word inside a call")
def _():
    if SCRIPTED:
        fails(lms.LMStudioServerError, lambda: llm.act(order(call("add", a="one", b=[])), [add]))


@step("async: all of it at once")
def _():
    async def run():
        async with lms.AsyncClient(HOST) as c:
            m = await c.llm.model(MODEL)
            said((await m.respond(order("async"), config=FEW)).content, "async")
            assert (await m.get_info()).identifier and await m.get_context_length() and await m.get_load_config()
            assert await m.count_tokens("hello") == len(await m.tokenize("hello")) and "hi" in await m.apply_prompt_template("hi")
            said((await m.complete(order("on"), config={"maxTokens": 8})).content, "on")
            said("".join([f.content async for f in await m.complete_stream(order("on"), config={"maxTokens": 8})]), "on")
            said("".join([f.content async for f in await m.respond_stream(order("on"), config=FEW)]), "on")
            assert await c.list_downloaded_models() and await c.list_loaded_models()
            other = await c.llm.load_new_instance(MODEL, "async-py")
            await other.unload()
            if SCRIPTED:
                assert (await m.act(order(THREE, "3"), [add])).rounds == 2
                e = await c.embedding.model("vectors")
                assert len(await e.embed("hello")) == 768 and await e.count_tokens("hello")
                (found,) = await c.repository.search_models("tiny", limit=3)
                assert len(await found.get_download_options()) == 2

    asyncio.run(run())


@step("async: acts side by side, one of them cancelled inside a call")
def _():
    async def run():
        async with lms.AsyncClient(HOST) as c:
            m = await c.llm.model(MODEL)
            texts = ["I call. " + '{"tool": "odd_name-1", "arguments": {"s": "…'] + [THREE] * 3
            acts = [asyncio.create_task(m.act(order(t, "3"), [odd, add])) for t in texts[1:]]
            cancelled = asyncio.create_task(m.act(order(texts[0]), [odd], on_prediction_fragment=lambda *_: cancelled.cancel()))
            rounds = [(await a).rounds for a in acts]
            try:
                await cancelled
            except asyncio.CancelledError:
                pass
            assert rounds == [2, 2, 2], rounds
            said((await m.respond(order("still here"))).content, "still here")

    if SCRIPTED:
        asyncio.run(run())


@step("the page's example")
def _():
    import example  # noqa: F401


@step("every method of the SDK was tried")
def _():
    missed = {m for m in methods - tried if SCRIPTED or "embedding" not in m}
    print(f"{len(methods)} methods, {len(tried)} tried")
    assert not missed, " ".join(sorted(missed))


client.close()


@step("the SDK could read every packet")
def _():
    print(f"{packets} packets, {len(bad)} bad")
    assert not bad, bad


end()
