from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from steps import ASK, ASK_FOR_JSON, BASE, DESCRIPTION, MODEL, PARAMETERS, SCRIPTED, WEATHER, end, run, step, told, whole

tools = [{"type": "function", "function": {"name": "get_secret", "description": DESCRIPTION, "parameters": PARAMETERS}}]
schema = {"title": "weather", "description": "The weather of a city", **WEATHER}


def model(responses, most=512):
    return ChatOpenAI(base_url=BASE + "/v1", api_key="any", model=MODEL, max_retries=0, max_completion_tokens=most, stream_usage=True, use_responses_api=responses)


def streamed(llm, history):
    """Adds the chunks of a streamed answer up."""
    answer = None
    for chunk in llm.stream(history):
        answer = chunk if answer is None else answer + chunk
    return answer


def round_trip(responses):
    llm = model(responses).bind_tools(tools)
    history = [SystemMessage("Be brief."), HumanMessage(ASK)]
    for _turn in range(3):
        said = streamed(llm, history)
        assert said.usage_metadata["total_tokens"] > 0
        history.append(said)
        if not said.tool_calls:
            return told(said.text)
        for c in said.tool_calls:
            history.append(ToolMessage(run(c["args"]), tool_call_id=c["id"]))
    assert not SCRIPTED, "the turn did not end"


def forced(responses, choice):
    said = model(responses).bind_tools(tools, tool_choice=choice, parallel_tool_calls=False).invoke(ASK)
    assert len(said.tool_calls) == 1, said
    run(said.tool_calls[0]["args"])


for name, responses in [("chat", False), ("responses", True)]:

    @step(f"{name}, streamed round trip")
    def _():
        round_trip(responses)

    @step(f"{name}, required")
    def _():
        forced(responses, "required")

    @step(f"{name}, named")
    def _():
        forced(responses, "get_secret")

    @step(f"{name}, none")
    def _():
        said = model(responses, 64).bind_tools(tools, tool_choice="none").invoke(ASK)
        assert not said.tool_calls, said

    @step(f"{name}, structured output by schema")
    def _():
        assert whole(model(responses).with_structured_output(schema, method="json_schema", strict=True).invoke(ASK_FOR_JSON)["celsius"])

    @step(f"{name}, structured output by a call")
    def _():
        assert whole(model(responses).with_structured_output(schema, method="function_calling").invoke(ASK_FOR_JSON)["celsius"])


end()
