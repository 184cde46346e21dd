import json
import time

import openai
from steps import ASK, ASK_FOR_JSON, BASE, DESCRIPTION, MCP, MODEL, PARAMETERS, SCRIPTED, SECRET, WEATHER, end, executed, run, step, told, whole

client = openai.OpenAI(base_url=BASE + "/v1", api_key="any", max_retries=0)
tools = [{"type": "function", "function": {"name": "get_secret", "description": DESCRIPTION, "parameters": PARAMETERS, "strict": True}}]
flat = [{"type": "function", "name": "get_secret", "description": DESCRIPTION, "parameters": PARAMETERS, "strict": True}]


def messages():
    return [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": ASK}]}]


@step("models")
def _():
    assert len(client.models.list().data) > 0
    assert client.models.retrieve(MODEL).id == MODEL


@step("chat, streamed round trip")
def _():
    history = messages()
    for _turn in range(3):
        try:
            with client.chat.completions.stream(model=MODEL, messages=history, tools=tools, stream_options={"include_usage": True}) as stream:
                for _event in stream:
                    pass
                done = stream.get_final_completion()
        except openai.LengthFinishReasonError:
            assert not SCRIPTED
            return  # the SDK's word for an answer that was cut off, as a base model's is
        assert done.usage.total_tokens > 0
        said = done.choices[0].message
        history.append(said.model_dump(include={"role", "content", "tool_calls"}))
        if not said.tool_calls:
            return told(said.content)
        for c in said.tool_calls:
            history.append({"role": "tool", "tool_call_id": c.id, "content": run(c.function.arguments)})
    assert not SCRIPTED, "the turn did not end"


def forced(choice):
    c = client.chat.completions.create(model=MODEL, messages=messages(), tools=tools, tool_choice=choice, parallel_tool_calls=False).choices[0]
    assert c.message.tool_calls and len(c.message.tool_calls) == 1, "no call"
    assert c.finish_reason == "tool_calls", c.finish_reason
    run(c.message.tool_calls[0].function.arguments)


@step("chat, required")
def _():
    forced("required")


@step("chat, named")
def _():
    forced({"type": "function", "function": {"name": "get_secret"}})


@step("chat, none")
def _():
    c = client.chat.completions.create(model=MODEL, messages=messages(), tools=tools, tool_choice="none", seed=7, max_completion_tokens=64).choices[0]
    assert not c.message.tool_calls, "a call"


@step("chat, structured output")
def _():
    done = client.chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": ASK_FOR_JSON}],
        response_format={"type": "json_schema", "json_schema": {"name": "weather", "strict": True, "schema": WEATHER}},
    )
    assert whole(json.loads(done.choices[0].message.content)["celsius"])


@step("responses, streamed round trip")
def _():
    given, previous = ASK, openai.omit
    for _turn in range(3):
        with client.responses.stream(model=MODEL, instructions="Be brief.", input=given, tools=flat, previous_response_id=previous) as stream:
            last = [event.type for event in stream][-1]
            if last == "response.incomplete" and not SCRIPTED:
                return  # it was cut off, as a base model's answer is
            done = stream.get_final_response()
        calls = [i for i in done.output if i.type == "function_call"]
        if not calls:
            return told(done.output_text)
        previous = done.id
        given = [{"type": "function_call_output", "call_id": c.call_id, "output": run(c.arguments)} for c in calls]
    assert not SCRIPTED, "the turn did not end"


@step("responses, required")
def _():
    done = client.responses.create(model=MODEL, input=ASK, tools=flat, tool_choice="required")
    calls = [i for i in done.output if i.type == "function_call"]
    assert calls, "no call"
    run(calls[0].arguments)
    assert client.responses.retrieve(done.id).id == done.id
    assert client.responses.input_items.list(done.id).data[0].role == "user"
    client.responses.delete(done.id)


@step("responses, structured output")
def _():
    done = client.responses.create(model=MODEL, input=ASK_FOR_JSON, text={"format": {"type": "json_schema", "name": "weather", "strict": True, "schema": WEATHER}})
    assert whole(json.loads(done.output_text)["celsius"])


def of_mcp(approval):
    return {"type": "mcp", "server_label": "notes", "server_url": MCP + "?key=any", "authorization": "any", "require_approval": approval}


@step("responses, MCP")
def _():
    with client.responses.stream(model=MODEL, input=ASK, tools=[of_mcp("never")]) as stream:
        kinds = [event.type for event in stream]
        if kinds[-1] == "response.incomplete" and not SCRIPTED:
            return
        done = stream.get_final_response()
    assert done.output[0].type == "mcp_list_tools" and done.output[0].tools[0].name == "get_secret"
    executed([i.output for i in done.output if i.type == "mcp_call"], done.output_text)
    assert not SCRIPTED or "response.mcp_call.completed" in kinds, kinds


@step("responses, MCP with approval")
def _():
    first = client.responses.create(model=MODEL, input=ASK, tools=[of_mcp("always")], tool_choice={"type": "mcp", "server_label": "notes"})
    asked = [i for i in first.output if i.type == "mcp_approval_request"]
    assert asked and asked[0].name == "get_secret", first.output
    answer = [{"type": "mcp_approval_response", "approval_request_id": asked[0].id, "approve": True}]
    done = client.responses.create(model=MODEL, previous_response_id=first.id, input=answer, tools=[of_mcp("always")])
    calls = [i for i in done.output if i.type == "mcp_call"]
    assert calls[0].approval_request_id == asked[0].id and SECRET in calls[0].output, done.output
    executed([calls[0].output], done.output_text)


@step("responses, in the background")
def _():
    made = client.responses.create(model=MODEL, input=ASK, tools=[of_mcp("never")], background=True)
    assert made.status in ("queued", "in_progress") and made.background, made
    while made.status in ("queued", "in_progress"):
        time.sleep(0.05)
        made = client.responses.retrieve(made.id)
    assert made.status in ("completed", "incomplete") and (made.status == "completed" or not SCRIPTED), made
    executed([i.output for i in made.output if i.type == "mcp_call"], made.output_text)
    assert client.responses.cancel(made.id).id == made.id


@step("chat, MCP")
def _():
    c = client.chat.completions.create(model=MODEL, messages=messages(), tools=[of_mcp("never")]).choices[0]
    executed([i.get("output") for i in getattr(c.message, "server_tool_calls", [])], c.message.content or "")


@step("completions")
def _():
    text = "".join(c.choices[0].text for c in client.completions.create(model=MODEL, prompt="Once upon", max_tokens=8, stream=True) if c.choices)
    assert text


@step("errors are typed")
def _():
    for model, history, kind in [("no-such-model", messages(), openai.NotFoundError), (MODEL, [], openai.BadRequestError)]:
        try:
            client.chat.completions.create(model=model, messages=history)
        except kind as e:
            assert e.request_id and e.param, e
        else:
            raise AssertionError("no error")


end()
