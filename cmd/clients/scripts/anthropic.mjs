import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { ask, askForJSON, assert, base, description, end, executed, mcp, model, parameters, run, scripted, step, told, weather } from "./steps.mjs";

const client = new Anthropic({ baseURL: base, apiKey: "any", maxRetries: 0 });
const tools = [{ name: "get_secret", description, input_schema: parameters }];
const system = [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }];
const messages = () => [{ role: "user", content: ask }];
const textOf = (m) => m.content.filter((b) => b.type === "text").map((b) => b.text).join("");

await step("models", async () => {
  const all = (await client.models.list()).data;
  assert(all.length > 0 && all[0].type === "model" && all[0].display_name, "no model");
  assert((await client.models.retrieve(model)).id === model, "another id");
});

await step("count_tokens", async () => {
  const counted = await client.messages.countTokens({ model, system, messages: messages(), tools });
  const m = await client.messages.create({ model, max_tokens: 16, system, messages: messages(), tools });
  const u = m.usage;
  const charged = u.input_tokens + u.cache_read_input_tokens + u.cache_creation_input_tokens;
  assert(counted.input_tokens === charged, `${counted.input_tokens} counted, ${charged} charged`);
});

await step("streamed round trip", async () => {
  const history = messages();
  for (let turn = 0; turn < 3; turn++) {
    const m = await client.messages.stream({ model, max_tokens: 2048, system, messages: history, tools, thinking: { type: "enabled", budget_tokens: 1024 } }).finalMessage();
    history.push({ role: "assistant", content: m.content });
    const calls = m.content.filter((b) => b.type === "tool_use");
    if (!calls.length) return told(textOf(m));
    history.push({ role: "user", content: calls.map((c) => ({ type: "tool_result", tool_use_id: c.id, content: [{ type: "text", text: run(c.input) }] })) });
  }
  assert(!scripted, "the turn did not end");
});

for (const [name, choice] of [["any", { type: "any", disable_parallel_tool_use: true }], ["tool", { type: "tool", name: "get_secret" }]]) {
  await step(`tool_choice ${name}`, async () => {
    const m = await client.messages.create({ model, max_tokens: 512, messages: messages(), tools: [{ ...tools[0], type: "custom" }], tool_choice: choice });
    const calls = m.content.filter((b) => b.type === "tool_use");
    assert(calls.length >= 1 && m.stop_reason === "tool_use", `${m.stop_reason}: ${JSON.stringify(m.content)}`);
    run(calls[0].input);
  });
}

await step("tool_choice none", async () => {
  const m = await client.messages.create({ model, max_tokens: 64, messages: messages(), tools, tool_choice: { type: "none" } });
  assert(m.content.every((b) => b.type !== "tool_use"), "a call");
});

await step("structured output", async () => {
  const m = await client.messages.create({ model, max_tokens: 512, messages: [{ role: "user", content: askForJSON }], output_config: { format: { type: "json_schema", schema: weather } } });
  assert(Number.isInteger(JSON.parse(textOf(m)).celsius), textOf(m));
});

await step("tool runner", async () => {
  const runner = client.beta.messages.toolRunner({
    model, max_tokens: 512, messages: messages(), max_iterations: 3,
    tools: [betaTool({ name: "get_secret", description, inputSchema: parameters, run })],
  });
  told(textOf(await runner.runUntilDone()));
});

await step("MCP", async () => {
  const body = {
    model, max_tokens: 512, messages: messages(), betas: ["mcp-client-2025-11-20"],
    mcp_servers: [{ type: "url", url: mcp, name: "notes", authorization_token: "any" }],
    tools: [{ type: "mcp_toolset", mcp_server_name: "notes" }],
  };
  for (const m of [await client.beta.messages.stream(body).finalMessage(), await client.beta.messages.create(body)]) {
    const used = m.content.find((b) => b.type === "mcp_tool_use");
    assert(!scripted || (used?.server_name === "notes" && used.input.reason === "asked"), JSON.stringify(m.content));
    executed(m.content.filter((b) => b.type === "mcp_tool_result").map((b) => JSON.stringify(b.content)), textOf(m));
  }
});

await step("errors are typed", async () => {
  for (const [body, type] of [[{ model: "no-such-model", max_tokens: 1, messages: messages() }, Anthropic.NotFoundError], [{ model, max_tokens: 0, messages: messages() }, Anthropic.BadRequestError]]) {
    const e = await client.messages.create(body).then(() => undefined, (e) => e);
    assert(e instanceof type && e.error?.error?.type && e.requestID, `${e} ${JSON.stringify(e?.error)} ${e?.requestID}`);
  }
});

end();
