import OpenAI from "openai";
import { LengthFinishReasonError } from "openai/error";
import { ask, askForJSON, assert, base, description, end, executed, mcp, model, parameters, run, scripted, step, told, weather } from "./steps.mjs";

const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: "any", maxRetries: 0 });
const tools = [{ type: "function", function: { name: "get_secret", description, parameters, strict: true } }];
const messages = () => [{ role: "developer", content: "Be brief." }, { role: "user", content: [{ type: "text", text: ask }] }];
const flat = [{ type: "function", name: "get_secret", description, parameters, strict: true }];

await step("models", async () => {
  const all = (await client.models.list()).data;
  assert(all.length > 0, "there is none");
  assert((await client.models.retrieve(model)).id === model, "another id");
});

await step("chat, streamed round trip", async () => {
  const history = messages();
  for (let turn = 0; turn < 3; turn++) {
    const stream = client.chat.completions.stream({ model, messages: history, tools, stream_options: { include_usage: true } });
    const done = await stream.finalChatCompletion().catch((e) => {
      if (scripted || !(e instanceof LengthFinishReasonError)) throw e;
    });
    if (!done) return; // it was cut off, as a base model's answer is
    assert(done.usage.total_tokens > 0, "no usage");
    const said = done.choices[0].message;
    history.push(said);
    if (!said.tool_calls?.length) return told(said.content);
    for (const c of said.tool_calls) history.push({ role: "tool", tool_call_id: c.id, content: run(c.function.arguments) });
  }
  assert(!scripted, "the turn did not end");
});

for (const [name, choice] of [["required", "required"], ["named", { type: "function", function: { name: "get_secret" } }]]) {
  await step(`chat, ${name}`, async () => {
    const c = (await client.chat.completions.create({ model, messages: messages(), tools, tool_choice: choice, parallel_tool_calls: false })).choices[0];
    assert(c.message.tool_calls?.length === 1, "no call");
    assert(c.finish_reason === "tool_calls", c.finish_reason);
    run(c.message.tool_calls[0].function.arguments);
  });
}

await step("chat, none", async () => {
  const c = (await client.chat.completions.create({ model, messages: messages(), tools, tool_choice: "none", seed: 7, max_completion_tokens: 64 })).choices[0];
  assert(!c.message.tool_calls?.length, "a call");
});

await step("chat, structured output", async () => {
  const done = await client.chat.completions.parse({
    model,
    messages: [{ role: "user", content: askForJSON }],
    response_format: { type: "json_schema", json_schema: { name: "weather", strict: true, schema: weather } },
  });
  assert(Number.isInteger(JSON.parse(done.choices[0].message.content).celsius), done.choices[0].message.content);
});

await step("chat, tool runner", async () => {
  const runner = client.chat.completions.runTools(
    { model, messages: messages(), stream: true, tools: [{ type: "function", function: { name: "get_secret", description, parameters, parse: JSON.parse, function: run } }] },
    { maxChatCompletions: 3 },
  );
  const text = await runner.finalContent().catch((e) => {
    if (scripted) throw e; // a real model's last turn may be cut off, or a call
  });
  told(text);
});

await step("responses, streamed round trip", async () => {
  let input = [{ role: "user", content: ask }];
  let previous;
  for (let turn = 0; turn < 3; turn++) {
    const stream = client.responses.stream({ model, instructions: "Be brief.", input, tools: flat, previous_response_id: previous });
    const done = await stream.finalResponse();
    const calls = done.output.filter((i) => i.type === "function_call");
    if (!calls.length) return told(done.output_text);
    previous = done.id;
    input = calls.map((c) => ({ type: "function_call_output", call_id: c.call_id, output: run(c.arguments) }));
  }
  assert(!scripted, "the turn did not end");
});

await step("responses, stateless round trip", async () => {
  const input = [{ role: "user", content: ask }];
  for (let turn = 0; turn < 3; turn++) {
    const done = await client.responses.create({ model, input, tools: flat, store: false, include: ["reasoning.encrypted_content"] });
    input.push(...done.output);
    const calls = done.output.filter((i) => i.type === "function_call");
    if (!calls.length) return told(done.output_text);
    for (const c of calls) input.push({ type: "function_call_output", call_id: c.call_id, output: run(c.arguments) });
  }
  assert(!scripted, "the turn did not end");
});

await step("responses, required", async () => {
  const done = await client.responses.create({ model, input: ask, tools: flat, tool_choice: "required", include: [] });
  const calls = done.output.filter((i) => i.type === "function_call");
  assert(calls.length > 0, "no call");
  run(calls[0].arguments);
  assert((await client.responses.retrieve(done.id)).id === done.id, "it was not kept");
});

await step("responses, structured output", async () => {
  const done = await client.responses.parse({ model, input: askForJSON, text: { format: { type: "json_schema", name: "weather", strict: true, schema: weather } } });
  assert(Number.isInteger(done.output_parsed.celsius), done.output_text);
});

const ofMCP = (approval) => ({ type: "mcp", server_label: "notes", server_url: `${mcp}?key=any`, authorization: "any", require_approval: approval });

await step("responses, MCP", async () => {
  const done = await client.responses.stream({ model, input: ask, tools: [ofMCP("never")] }).finalResponse();
  assert(done.output[0].type === "mcp_list_tools" && done.output[0].tools[0].name === "get_secret", JSON.stringify(done.output));
  executed(done.output.filter((i) => i.type === "mcp_call").map((i) => i.output), done.output_text);
});

await step("responses, MCP with approval", async () => {
  const tools = [ofMCP("always")];
  const first = await client.responses.create({ model, input: ask, tools, tool_choice: { type: "mcp", server_label: "notes" } });
  const asked = first.output.find((i) => i.type === "mcp_approval_request");
  assert(asked?.name === "get_secret", JSON.stringify(first.output));
  const answer = { type: "mcp_approval_response", approval_request_id: asked.id, approve: true };
  const done = await client.responses.create({ model, previous_response_id: first.id, input: [answer], tools });
  executed(done.output.filter((i) => i.type === "mcp_call" && i.approval_request_id === asked.id).map((i) => i.output), done.output_text);
});

await step("responses, in the background", async () => {
  let made = await client.responses.create({ model, input: ask, tools: [ofMCP("never")], background: true });
  while (made.status === "queued" || made.status === "in_progress") {
    await new Promise((done) => setTimeout(done, 50));
    made = await client.responses.retrieve(made.id);
  }
  assert(made.status === "completed" || !scripted, made.status);
  executed(made.output.filter((i) => i.type === "mcp_call").map((i) => i.output), made.output_text);
  assert((await client.responses.cancel(made.id)).id === made.id, "another is cancelled");
});

await step("chat, MCP", async () => {
  const c = (await client.chat.completions.create({ model, messages: messages(), tools: [ofMCP("never")] })).choices[0];
  executed((c.message.server_tool_calls ?? []).map((i) => i.output), c.message.content);
});

await step("errors are typed", async () => {
  for (const [body, type] of [[{ model: "no-such-model", messages: messages() }, OpenAI.NotFoundError], [{ model, messages: [] }, OpenAI.BadRequestError]]) {
    const e = await client.chat.completions.create(body).then(() => undefined, (e) => e);
    assert(e instanceof type && e.param !== undefined && e.requestID, `${e}`);
  }
});

end();
