import asyncio

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from agents.exceptions import MaxTurnsExceeded, ModelBehaviorError
from openai import AsyncOpenAI
from pydantic import BaseModel, Field
from steps import ASK, ASK_FOR_JSON, BASE, MODEL, SCRIPTED, end, run, step, told

set_tracing_disabled(True)
loop = asyncio.new_event_loop()  # one for all steps: the client's connections belong to it
client = AsyncOpenAI(base_url=BASE + "/v1", api_key="any", max_retries=0)
kinds = {"chat": OpenAIChatCompletionsModel, "responses": OpenAIResponsesModel}


class Weather(BaseModel):
    city: str
    celsius: int = Field(ge=-60, le=60)


@function_tool
def get_secret(reason: str) -> str:
    """Returns the secret word.

    Args:
        reason: why it is asked for
    """
    return run(reason)


def agent(kind, **more):
    return Agent(name="asker", instructions="Be brief.", model=kinds[kind](model=MODEL, openai_client=client), **more)


def ask(a, question):
    return loop.run_until_complete(Runner.run(a, question, max_turns=1))


async def streamed(a):
    result = Runner.run_streamed(a, ASK, max_turns=3)
    async for _event in result.stream_events():
        pass
    return result.final_output


for kind in kinds:

    @step(f"{kind}, streamed agent loop")
    def _():
        try:
            told(loop.run_until_complete(streamed(agent(kind, tools=[get_secret], model_settings=ModelSettings(max_tokens=512)))))
        except MaxTurnsExceeded:
            assert not SCRIPTED
        except ModelBehaviorError as e:
            assert not SCRIPTED and "max_output_tokens" in str(e), e  # an answer that never ends, which the cap has cut off

    for choice in ["required", "get_secret"]:

        @step(f"{kind}, {'named' if choice == 'get_secret' else choice}")
        def _():
            settings = ModelSettings(tool_choice=choice, parallel_tool_calls=False, max_tokens=512)
            one = agent(kind, tools=[get_secret], model_settings=settings, tool_use_behavior="stop_on_first_tool")
            said = ask(one, ASK).final_output
            assert "The secret word is" in said, said

    @step(f"{kind}, none")
    def _():
        settings = ModelSettings(tool_choice="none", max_tokens=64)
        try:
            items = ask(agent(kind, tools=[get_secret], model_settings=settings), ASK).new_items
            assert all(i.type == "message_output_item" for i in items), items
        except ModelBehaviorError:
            assert not SCRIPTED  # the SDK's word for an answer that was cut off, as a base model's is

    @step(f"{kind}, structured output")
    def _():
        try:
            said = ask(agent(kind, output_type=Weather, model_settings=ModelSettings(max_tokens=512)), ASK_FOR_JSON).final_output
            assert isinstance(said.celsius, int), said
        except ModelBehaviorError:
            assert not SCRIPTED  # a city without an end is cut off by the budget


end()
