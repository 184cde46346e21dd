import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { ask, askForJSON, assert, base, description, end, model, parameters, run, scripted, step, told, weather } from "./steps.mjs";

const providers = {
  "openai-compatible": createOpenAICompatible({ name: "tenon", baseURL: `${base}/v1`, apiKey: "any", includeUsage: true, supportsStructuredOutputs: true })(model),
  anthropic: createAnthropic({ baseURL: `${base}/v1`, apiKey: "any" })(model),
};
const tools = { get_secret: tool({ description, inputSchema: jsonSchema(parameters), execute: run }) };
const callOnly = { get_secret: tool({ description, inputSchema: jsonSchema(parameters) }) };

for (const [name, model] of Object.entries(providers)) {
  const common = { model, maxRetries: 0, maxOutputTokens: 512 };

  await step(`${name}: streamText with steps`, async () => {
    let failure;
    const result = streamText({ ...common, prompt: ask, tools, stopWhen: stepCountIs(3), onError: ({ error }) => { failure = error; } });
    await result.consumeStream();
    if (failure) throw failure;
    told(await result.text);
  });

  await step(`${name}: generateText with steps`, async () => {
    told((await generateText({ ...common, prompt: ask, tools, stopWhen: stepCountIs(3) })).text);
  });

  for (const [choice, toolChoice] of [["required", "required"], ["named", { type: "tool", toolName: "get_secret" }]]) {
    await step(`${name}: ${choice}`, async () => {
      const { toolCalls } = await generateText({ ...common, prompt: ask, tools: callOnly, toolChoice });
      assert(toolCalls.length > 0, "no call");
      run(toolCalls[0].input);
    });
  }

  await step(`${name}: none`, async () => {
    assert((await generateText({ ...common, maxOutputTokens: 64, prompt: ask, tools: callOnly, toolChoice: "none" })).toolCalls.length === 0, "a call");
  });

  await step(`${name}: generateObject`, async () => {
    const { object } = await generateObject({ ...common, prompt: askForJSON, schema: jsonSchema(weather) });
    assert(Number.isInteger(object.celsius), JSON.stringify(object));
  });
}

end();
