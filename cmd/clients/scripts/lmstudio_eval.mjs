// Evaluates a real model's calls, S3-23: the share of those that name a declared tool and fit its schema, through the SDK's act() and
// through REST. A validator that is not ours judges them.
import { LMStudioClient, rawFunctionTool } from "@lmstudio/sdk";
import { Validator } from "jsonschema";
import { assert, base, end, model, step } from "./steps.mjs";

const object = (properties, required = Object.keys(properties), more = {}) => ({ type: "object", properties, required, additionalProperties: false, ...more });
const text = { type: "string", maxLength: 20 };
const whole = { type: "integer", minimum: 0, maximum: 100 };
const tools = [
  ["weather", "The weather of a city", object({ city: { enum: ["Oslo", "Rome", "Cairo"] }, unit: { enum: ["C", "F"] } })],
  ["add", "Adds two numbers", object({ a: { type: "number" }, b: { type: "number" } })],
  ["ping", "Tells whether a host is there", object({})],
  ["set_alarm", "Sets an alarm", object({ hour: { type: "integer", minimum: 0, maximum: 23 }, minute: { type: "integer", minimum: 0, maximum: 59 } })],
  ["find_mail", "Finds mail", object({ words: text, unread: { type: "boolean" }, limit: whole }, ["words"])],
  ["book_flight", "Books a flight", object({ from: { type: "string", pattern: "^[A-Z]{3}$" }, to: { type: "string", pattern: "^[A-Z]{3}$" }, seats: { type: "integer", minimum: 1, maximum: 9 } })],
  ["pick_colours", "Picks colours", object({ colours: { type: "array", items: { enum: ["red", "green", "blue"] }, minItems: 1, maxItems: 3, uniqueItems: true } })],
  ["move", "Moves a robot", object({ to: object({ x: whole, y: whole }), fast: { type: "boolean" } })],
  ["order", "Orders food", object({ items: { type: "array", minItems: 1, maxItems: 2, items: object({ name: { enum: ["pizza", "soup"] }, count: { type: "integer", minimum: 1, maximum: 5 } }) } })],
  ["rate", "Rates a film", object({ stars: { type: "integer", enum: [1, 2, 3, 4, 5] }, note: { anyOf: [text, { type: "null" }] } })],
  ["schedule", "Plans a meeting", object({ day: { type: "string", format: "date" }, people: { type: "array", items: text, maxItems: 2 } })],
  ["convert", "Converts money", object({ amount: { type: "number", minimum: 0, maximum: 1e6 }, currency: { enum: ["EUR", "NOK", "USD"] } })],
  ["tag", "Tags a file", object({ labels: { type: "object", additionalProperties: { enum: ["yes", "no"] }, minProperties: 1, maxProperties: 2 } })],
  ["search", "Searches", { type: "object", properties: { by: { oneOf: [object({ id: whole }), object({ name: text })] } }, required: ["by"], additionalProperties: false }],
  ["tree", "Builds a tree", { ...object({ node: { $ref: "#/$defs/node" } }), $defs: { node: object({ leaf: { type: "boolean" }, next: { $ref: "#/$defs/node" } }, ["leaf"]) } }],
  ["code", "Opens a door", object({ pin: { type: "string", pattern: "^[0-9]{4}$" }, door: { const: "front" } })],
  ["step", "Steps on", object({ by: { type: "integer", multipleOf: 5, minimum: 5, maximum: 50 } })],
  ["translate", "Translates a text", object({ text, into: { enum: ["de", "fr", "no"] } })],
  ["delete_files", "Deletes files", object({ paths: { type: "array", items: { type: "string", pattern: "^/tmp/[a-z]{1,8}$" }, minItems: 1, maxItems: 2 } })],
  ["remind", "Reminds of a thing", object({ of: { type: "string", minLength: 3, maxLength: 20 }, in_minutes: whole })],
].map(([name, description, parameters]) => ({ name, description, parameters }));
const prompts = [({ description }) => `${description}. Do it now.`, ({ name }) => `Call ${name} for me, please.`, () => "Hei! Gjør det som trengs."];
const maxTokens = 120;

const validator = new Validator();
const faults = [];
const counts = { act: { calls: 0, fit: 0, asked: 0 }, REST: { calls: 0, fit: 0, asked: 0 } };

// judge counts a call, and whether it may be as it is.
function judge(way, offered, name, args) {
  const tool = offered.find((t) => t.name === name);
  const wrong = !tool ? `there is no tool ${name}` : validator.validate(args, tool.parameters).errors.join("; ");
  counts[way].calls++;
  if (wrong) faults.push(`${way}: ${name} ${JSON.stringify(args)}: ${wrong}`);
  else counts[way].fit++;
}
// Of each tool, three questions; with it come two others.
const questions = tools.flatMap((tool, i) => prompts.map((prompt) => ({ text: prompt(tool), offered: [0, 7, 13].map((d) => tools[(i + d) % tools.length]) })));
const percent = ({ calls, fit }) => ((100 * fit) / calls).toFixed(1);

const client = new LMStudioClient({ baseUrl: base.replace("http", "ws") });
await step("act: each loop makes a call, runs its tool and ends", async () => {
  const llm = await client.llm.model(model, { verbose: false });
  for (const { text, offered } of questions) {
    let ran = 0;
    const run = offered.map((t) => rawFunctionTool({ name: t.name, description: t.description, parametersJsonSchema: t.parameters, implementation: () => (ran++, "done") }));
    let began = 0;
    counts.act.asked++;
    await llm.act(text, run, {
      maxTokens, maxPredictionRounds: 2, toolChoice: { type: "generic", mode: "required" },
      onToolCallRequestEnd: (_round, _call, { toolCallRequest: r }) => (began++, judge("act", offered, r.name, r.arguments)),
      onToolCallRequestFailure: (_round, _call, e) => faults.push(`act: ${e.message}`),
    });
    if (!began || ran !== began) faults.push(`act: ${began} calls, of which ${ran} ran: ${text}`);
  }
});
await step("REST: each answer makes a call", async () => {
  for (const { text, offered } of questions) {
    counts.REST.asked++;
    const response = await fetch(`${base}/api/v0/chat/completions`, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ model, max_tokens: maxTokens, messages: [{ role: "user", content: text }], tool_choice: "required", tools: offered.map((f) => ({ type: "function", function: f })) }),
    });
    const answer = await response.json();
    const calls = answer.choices?.[0].message.tool_calls ?? [];
    for (const { function: f } of calls) judge("REST", offered, f.name, JSON.parse(f.arguments));
    if (response.status !== 200 || !calls.length) faults.push(`REST: ${response.status} ${JSON.stringify(answer)}`);
  }
});
for (const [way, c] of Object.entries(counts)) console.log(`${way}: ${c.asked} asked, ${c.calls} calls, ${c.fit} fit: ${percent(c)} %`);
await step("more than 95 % of the calls fit, and all that left do", async () => {
  const all = { calls: counts.act.calls + counts.REST.calls, fit: counts.act.fit + counts.REST.fit };
  console.log(`${all.calls} calls, ${all.fit} of a declared tool and its schema: ${percent(all)} %, ${faults.length} bad`);
  assert(all.calls >= 100 && faults.length === 0, faults.join(" | "));
});
await client[Symbol.asyncDispose]?.();
setImmediate(() => process.exit(0)); // an open socket would keep the process
end();
