import json

import anthropic
from anthropic import beta_tool
from steps import ASK, ASK_FOR_JSON, BASE, DESCRIPTION, MCP, MODEL, PARAMETERS, SCRIPTED, WEATHER, end, executed, run, step, told, whole

client = anthropic.Anthropic(base_url=BASE, api_key="any", max_retries=0)
tools = [{"name": "get_secret", "description": DESCRIPTION, "input_schema": PARAMETERS}]
system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]


def messages():
    return [{"role": "user", "content": ASK}]


def text_of(m):
    return "".join(b.text for b in m.content if b.type == "text")


@step("models")
def _():
    all = client.models.list().data
    assert all and all[0].type == "model" and all[0].display_name
    assert client.models.retrieve(MODEL).id == MODEL


@step("count_tokens")
def _():
    counted = client.messages.count_tokens(model=MODEL, system=system, messages=messages(), tools=tools).input_tokens
    u = client.messages.create(model=MODEL, max_tokens=16, system=system, messages=messages(), tools=tools).usage
    charged = u.input_tokens + u.cache_read_input_tokens + u.cache_creation_input_tokens
    assert counted == charged, f"{counted} counted, {charged} charged"


@step("streamed round trip")
def _():
    history = messages()
    for _turn in range(3):
        with client.messages.stream(model=MODEL, max_tokens=2048, system=system, messages=history, tools=tools, thinking={"type": "enabled", "budget_tokens": 1024}) as stream:
            m = stream.get_final_message()
        history.append({"role": "assistant", "content": m.content})
        calls = [b for b in m.content if b.type == "tool_use"]
        if not calls:
            return told(text_of(m))
        history.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": c.id, "content": [{"type": "text", "text": run(c.input)}]} for c in calls]})
    assert not SCRIPTED, "the turn did not end"


def forced(choice):
    m = client.messages.create(model=MODEL, max_tokens=512, messages=messages(), tools=tools, tool_choice=choice)
    calls = [b for b in m.content if b.type == "tool_use"]
    assert calls and m.stop_reason == "tool_use", m
    run(calls[0].input)


@step("tool_choice any")
def _():
    forced({"type": "any", "disable_parallel_tool_use": True})


@step("tool_choice tool")
def _():
    forced({"type": "tool", "name": "get_secret"})


@step("tool_choice none")
def _():
    m = client.messages.create(model=MODEL, max_tokens=64, messages=messages(), tools=tools, tool_choice={"type": "none"})
    assert all(b.type != "tool_use" for b in m.content), "a call"


@step("structured output")
def _():
    m = client.messages.create(model=MODEL, max_tokens=512, messages=[{"role": "user", "content": ASK_FOR_JSON}], output_config={"format": {"type": "json_schema", "schema": WEATHER}})
    assert whole(json.loads(text_of(m))["celsius"])


@step("tool runner")
def _():
    @beta_tool
    def get_secret(reason: str) -> str:
        """Returns the secret word.

        Args:
            reason: why it is asked for
        """
        return run(reason)

    runner = client.beta.messages.tool_runner(model=MODEL, max_tokens=512, messages=messages(), tools=[get_secret], max_iterations=3)
    told(text_of(runner.until_done()))


def of_mcp():
    return {
        "model": MODEL, "max_tokens": 512, "messages": messages(), "betas": ["mcp-client-2025-11-20"],
        "mcp_servers": [{"type": "url", "url": MCP, "name": "notes", "authorization_token": "any"}],
        "tools": [{"type": "mcp_toolset", "mcp_server_name": "notes"}],
    }


@step("MCP")
def _():
    with client.beta.messages.stream(**of_mcp()) as stream:
        streamed = stream.get_final_message()
    for m in (streamed, client.beta.messages.create(**of_mcp())):
        used = [b for b in m.content if b.type == "mcp_tool_use"]
        assert not SCRIPTED or used[0].server_name == "notes" and used[0].input == {"reason": "asked"}, m.content
        executed([b.content for b in m.content if b.type == "mcp_tool_result"], text_of(m))


@step("errors are typed")
def _():
    for model, most, kind in [("no-such-model", 1, anthropic.NotFoundError), (MODEL, 0, anthropic.BadRequestError)]:
        try:
            client.messages.create(model=model, max_tokens=most, messages=messages())
        except kind as e:
            assert e.request_id and e.body["error"]["type"], e
        else:
            raise AssertionError("no error")


end()
