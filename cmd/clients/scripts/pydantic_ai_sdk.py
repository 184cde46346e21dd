from anthropic import AsyncAnthropic
from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelSettings, NativeOutput, UnexpectedModelBehavior, UsageLimits
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from steps import ASK, ASK_FOR_JSON, BASE, MODEL, SCRIPTED, end, run, step, told

openai = OpenAIProvider(base_url=BASE + "/v1", api_key="any")
anthropic = AnthropicProvider(anthropic_client=AsyncAnthropic(base_url=BASE, api_key="any", max_retries=0))
models = {
    "chat": OpenAIChatModel(MODEL, provider=openai),
    "responses": OpenAIResponsesModel(MODEL, provider=openai),
    "messages": AnthropicModel(MODEL, provider=anthropic),
}
settings = ModelSettings(max_tokens=512)
limits = UsageLimits(request_limit=3)


class Weather(BaseModel):
    """The weather of a city."""

    city: str = Field(max_length=20)
    celsius: int = Field(ge=-60, le=60)


def ask(agent, question):
    """Runs an agent to its end. A real model may never come to one: its tries are used up then."""
    try:
        return agent.run_sync(question, usage_limits=limits, model_settings=settings).output
    except (UnexpectedModelBehavior, UsageLimitExceeded):
        assert not SCRIPTED
        return None


def with_tool(model):
    agent = Agent(model, instructions="Be brief.")

    @agent.tool_plain
    def get_secret(reason: str) -> str:
        """Returns the secret word.

        Args:
            reason: why it is asked for
        """
        return run(reason)

    return agent


for name, model in models.items():

    @step(f"{name}, agent loop")
    def _():
        told(ask(with_tool(model), ASK))

    @step(f"{name}, streamed agent loop")
    def _():
        try:
            with with_tool(model).run_stream_sync(ASK, usage_limits=limits, model_settings=settings) as result:
                told(result.get_output())
        except (UnexpectedModelBehavior, UsageLimitExceeded):
            assert not SCRIPTED

    @step(f"{name}, output by a required call")
    def _():
        said = Agent(model, output_type=Weather).run_sync(ASK_FOR_JSON, usage_limits=limits, model_settings=settings).output
        assert isinstance(said.celsius, int), said

    if name == "messages":
        continue  # pydantic-ai sends schemas only to models of Anthropic's that it knows

    @step(f"{name}, output by schema")
    def _():
        said = ask(Agent(model, output_type=NativeOutput(Weather)), ASK_FOR_JSON)
        assert said is None or isinstance(said.celsius, int), said


end()
