// What the steps of every JavaScript client share: where the server is, the tool, and how a step is reported.
export const base = process.env.BASE_URL;
export const model = process.env.MODEL;
export const scripted = model === "scripted"; // a script does its task; a real model may do anything that is legal
export const mcp = process.env.MCP_URL; // an MCP server that has the tool, too
const secret = process.env.SECRET;

export const ask = "What is the secret word? Ask the tool.";
export const askForJSON = "What is the weather in Oslo?";
export const description = "Returns the secret word";
export const parameters = {
  type: "object",
  required: ["reason"],
  additionalProperties: false,
  properties: { reason: { type: "string", maxLength: 40, description: "why it is asked for" } },
};
export const weather = {
  type: "object",
  required: ["city", "celsius"],
  additionalProperties: false,
  properties: { city: { type: "string", enum: ["Oslo", "Rome"] }, celsius: { type: "integer", minimum: -60, maximum: 60 } },
};

let runs = 0;

// run is the tool.
export function run(input) {
  const { reason } = typeof input === "string" ? JSON.parse(input) : input;
  assert(typeof reason === "string" && reason.length <= 40, `the arguments do not fit: ${JSON.stringify(input)}`);
  runs++;
  return `The secret word is ${secret}`;
}

export function assert(ok, why) {
  if (!ok) throw new Error(why);
}

// executed asserts that a scripted model had the server execute the tool, and was told its result.
export function executed(outputs, text) {
  if (!scripted) return;
  assert(outputs.some((o) => String(o).includes(secret)), JSON.stringify(outputs));
  assert(String(text).includes(secret), `the answer is ${JSON.stringify(text)}`);
}

// told asserts that a scripted conversation ended with the tool's result.
export function told(text) {
  if (!scripted) return;
  assert(runs > 0, "the tool was not run");
  assert(String(text).includes(secret), `the answer is ${JSON.stringify(text)}`);
}

export async function step(name, f) {
  runs = 0;
  try {
    await f();
    console.log(`ok ${name}`);
  } catch (e) {
    console.log(`FAIL ${name}: ${String(e?.stack ?? e).replaceAll("\n", " | ")}`);
  }
}

export function end() {
  console.log("end");
}
