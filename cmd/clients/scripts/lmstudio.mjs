import { Chat, LMStudioClient, rawFunctionTool, tool } from "@lmstudio/sdk";
import WebSocket from "ws";
import { z } from "zod";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assert, base, end, model, scripted, step } from "./steps.mjs";

// SDK 1.x has no load config and no TTL to show, and of the log it knows what goes into models.
const sdk = JSON.parse(readFileSync(new URL("node_modules/@lmstudio/sdk/package.json", import.meta.url)));
const old = sdk.version.startsWith("1.");

// Every packet is judged by the SDK's own schemas: of one that does not fit it sends a warning.
const warnings = [];
let packets = 0;
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data, ...rest) {
  if (String(data).includes('"communicationWarning"') && !(old && String(data).includes("streamLogs"))) warnings.push(String(data));
  return send.call(this, data, ...rest);
};
const emit = WebSocket.prototype.emit;
WebSocket.prototype.emit = function (name, ...rest) {
  if (name === "message") packets++;
  return emit.call(this, name, ...rest);
};

const client = new LMStudioClient({ baseUrl: base.replace("http", "ws") });
const quiet = { verbose: false };
let orders = 0;
// order has a scripted model answer as told, one round after the other; a real one says what it likes.
const order = (...answers) => (scripted ? `[[js${orders++}]]${answers.join("[[|]]")}[[/]]` : "Say a word.");
const call = (name, args) => JSON.stringify({ tool: name, arguments: args }).replace(/":/g, '": ').replace(/,"/g, ', "');
const few = { maxTokens: scripted ? undefined : 24 };
const said = (got, want) => scripted && assert(String(got) === want, `said ${JSON.stringify(got)}, not ${want}`);
const fails = async (what) => what.then(() => assert(false, "it did not fail"), (e) => e);

// Each method that the SDK has is to be tried: watch lists those of an object, and sees which are called.
const methods = new Set(), tried = new Set();
const inside = /^(create(Domain|FileHandle|ZodParser|Port|GeneratorHandleAss|DynamicHandleFromI)|internal|getLoadModelOptsSchema|predictionConfig|validate|isLocalhost|guessBaseUrl|getLocalFile|startToolUse|getSelfReg|getAny|resolvePrediction|load?InternalConfig)/;
function watch(name, object) {
  const seen = new Set();
  for (let p = Object.getPrototypeOf(object); p && p !== Object.prototype; p = Object.getPrototypeOf(p))
    for (const key of Object.getOwnPropertyNames(p)) {
      if (key === "constructor" || inside.test(key) || seen.has(key) || typeof object[key] !== "function") continue;
      seen.add(key);
      const full = `${name}.${key}`, method = object[key];
      methods.add(full);
      object[key] = (...args) => (tried.add(full), method.apply(object, args));
    }
  return object;
}
for (const name of ["llm", "embedding", "system", "files", "repository", "diagnostics", "plugins", "runtime"]) if (client[name]) watch(name, client[name]);
for (const [name, part] of [["repository.unstable", client.repository.unstable], ["repository.lmLink", client.repository.lmLink], ["runtime.engine", client.runtime?.engine], ["runtime.extensions", client.runtime?.extensions]])
  if (part) watch(name, part);

let llm;
await step("model()", async () => {
  llm = watch("model", await client.llm.model(model, quiet));
  assert((await client.llm.model()).identifier === llm.identifier, "another model");
});
await step("lists and info", async () => {
  assert((await client.system.listDownloadedModels()).length > 0, "none at hand");
  assert((await client.llm.listLoaded()).length === 1, "not one loaded");
  assert((await llm.getModelInfo()).trainedForToolUse !== undefined, "no info");
  assert((await llm.getContextLength()) > 0, "no context length");
  assert(old || (await llm.getLoadConfig()).contextLength > 0, "no load config");
  assert((await client.system.getLMStudioVersion()).version, "no version");
  await client.system.notify({ title: "unseen" });
  if (old) return;
  assert((await client.system.getInfo()).isDaemon, "no daemon");
  assert((await client.system.listDownloadedModelVariants(llm.modelKey)).length === 0, "variants");
  assert((await llm.getInstanceProcessingState()).status === "idle", "it works");
  await llm.getBasePredictionConfig();
  assert((await llm.getLoadKVConfig()).fields.length > 0 && (await llm.getBasePredictionKVConfig()).fields, "no fields");
});
await step("handles of what is loaded answer", async () => {
  const [one] = await client.llm.listLoaded();
  said((await one.respond(order("by reference"), few)).content, "by reference");
  said((await client.llm.createDynamicHandle(llm.identifier).respond(order("by name"), few)).content, "by name");
  assert(/nope/.test((await fails(client.llm.createDynamicHandle("nope").respond("hi"))).message), "no name in the error");
});
await step("embeddings", async () => {
  if (!scripted) return assert(/embedding[\s│]+model/.test((await fails(client.embedding.model(model, quiet))).message), "another error");
  const e = watch("embedding model", await client.embedding.model("vectors", quiet));
  assert((await e.embed("hello")).embedding.length === 768 && (await e.embed(["a", "b"])).length === 2, "other vectors");
  assert((await e.countTokens("hello")) === (await e.tokenize("hello")).length, "counts differ");
  assert((await e.getContextLength()) === 2048 && (await e.getModelInfo()).modelKey === "vectors", "another model");
  assert((await e.getEvalBatchSize()) > 0, "no batch size");
  if (!old) assert((await e.getLoadConfig()) && (await e.getLoadKVConfig()) && (await e.getBasePredictionKVConfig()) && (await e.getInstanceProcessingState()), "not told");
  await client.embedding.load("vectors", { ...quiet, identifier: "more" });
  assert((await client.embedding.listLoaded()).length === 2, "not two");
  assert(client.embedding.createDynamicHandle("more"), "no handle");
  await client.embedding.unload("more");
  await e.unload();
  assert(/LLM|llm/.test((await fails(client.embedding.model(model, quiet))).message), "another error");
  assert(/embedding/.test((await fails(client.llm.model("vectors", quiet))).message), "another error");
});
await step("the hub: search, choose, fetch", async () => {
  if (!scripted) return;
  const [found] = await client.repository.searchModels({ searchTerm: "tiny", limit: 5 });
  const options = await found.getDownloadOptions();
  assert(options.length === 2 && options.some((o) => o.isRecommended()), `${options.length} options`);
  const shares = [];
  let finalizing = false;
  const key = await options[0].download({ onProgress: (p) => shares.push(p), onStartFinalizing: () => (finalizing = true) });
  assert(shares.at(-1).downloadedBytes === shares.at(-1).totalBytes && finalizing, "no progress");
  assert((await client.system.listDownloadedModels()).some((m) => m.modelKey === key), `${key} is not listed`);
});
await step("what a load would take is estimated", async () => {
  if (old) return;
  for (const namespace of [client.llm, client.embedding]) {
    const usage = await namespace.estimateResourcesUsage(llm.modelKey, { contextLength: 1024 }).catch((error) => {
      assert(/cannot be estimated/.test(error.message), error.message); // the script has no file
    });
    if (usage) assert(usage.passesGuardrails && usage.memory.modelBytes > 0 && usage.memory.totalBytes > usage.memory.modelBytes, JSON.stringify(usage));
  }
});
// What is not served, each with the reason why it is not. The SDK waits for ever for a plugin's registration, whatever it is told,
// and takes a file's retrieval for a matter of an embedding model of its own.
const file = await client.files.prepareFileBase64("b.txt", Buffer.from("hi").toString("base64"));
const unserved = [
  ["model.unstable_preloadDraftModel", "x"], ["files.retrieve", "q", [file]], ["files.parseDocument", file], ["files.getDocumentParsingLibrary", file],
  ["system.startHttpServer", { port: 1, cors: false }], ["system.stopHttpServer"], ["system.requestShutdown"], ["system.unstable_setExperimentFlag", "x", true], ["system.unstable_getExperimentFlags"],
  ["repository.getAuthenticationStatus"], ["repository.isAuthenticated"], ["repository.deauthenticate"], ["repository.ensureAuthenticated", { onAuthenticationUrl() {}, onAuthenticationCode() {} }],
  ["repository.loginWithPreAuthenticatedKeys", { keyId: "a", publicKey: "b", privateKey: "c" }], ["repository.loginAsComputeDevice", "x"], ["repository.installPluginDependencies", "/tmp"],
  ["repository.pushArtifact", { path: "/tmp/x" }], ["repository.getLocalArtifactFileList", "/tmp"], ["repository.installLocalPlugin", { path: "/tmp" }],
  ["repository.unstable.getModelCatalog"], ["repository.unstable.getWritableArtifactOwners"], ["repository.unstable.fuzzyFindStaffPicks", { searchTerm: "x" }],
  ["repository.lmLink.status"], ["repository.lmLink.setDisabled", true], ["repository.lmLink.updateDeviceName", "x"], ["repository.lmLink.setPreferredDevice", "x"],
  ["plugins.reindexPlugins"], ["plugins.pluginTools", "a/b"],
  ["runtime.surveyHardware"], ["runtime.engine.list"], ["runtime.engine.getSelections"], ["runtime.engine.select", { name: "x", version: "1" }, "GGUF"], ["runtime.engine.remove", { name: "x", version: "1" }],
  ["runtime.extensions.search", "x"], ["runtime.extensions.download", { name: "x", version: "1" }, {}],
];
await step("what is not served is refused", async () => {
  const at = (path) => path.split(".").reduce((o, key) => o?.[key], { ...client, llm: client.llm, model: llm });
  const refusals = unserved.filter(([path]) => at(path)).map(async ([path, ...args]) => {
    const silent = new Promise((_, reject) => setTimeout(reject, 10_000, new Error("silence")));
    const e = await fails(Promise.race([at(path)(...args), silent]));
    return /is not served here/.test(e.message) || /embedding model|No LLM|not found/i.test(e.message) && path === "files.retrieve" ? "" : `${path}: ${e.message}`;
  });
  const wrong = (await Promise.all(refusals)).filter((w) => w);
  assert(wrong.length === 0, wrong.join(" | "));
});
await step("load, unload", async () => {
  const shares = [];
  const other = watch("model", await client.llm.load(model, { ...quiet, identifier: "second", ttl: 60, config: { contextLength: 2048, gpu: { ratio: 0.5 } }, onProgress: (p) => shares.push(p) }));
  assert((old || (await other.getModelInfo()).ttlMs === 60000) && other.identifier === "second" && shares.length > 0, "not as asked for");
  await other.unload();
  await client.llm.unload((await client.llm.load(model, quiet)).identifier);
  assert((await client.llm.listLoaded()).length === 1, "it is still loaded");
});
await step("errors", async () => {
  assert(/nope/.test((await fails(client.llm.load("nope", quiet))).message), "no name in the error");
  await fails(llm.respond("hi", { preset: "nope" }));
});
await step("respond", async () => {
  const progress = [];
  const r = await llm.respond(order("hello there"), { ...few, onPromptProcessingProgress: (p) => progress.push(p) });
  said(r.content, "hello there");
  assert(progress.at(-1) === 1 && r.stats.stopReason && r.stats.promptTokensCount > 0, JSON.stringify([progress, r.stats]));
});
await step("respond, streamed with thinking", async () => {
  let kinds = "";
  const p = llm.respond(order("<think>hm</think>so"), few);
  for await (const f of p) kinds += f.reasoningType[0];
  const r = await p;
  said(r.nonReasoningContent, "so");
  said(r.reasoningContent, "hm");
});
await step("respond, structured", async () => {
  const r = await llm.respond(order('{"city": "Oslo"}'), { structured: z.object({ city: z.enum(["Oslo", "Rome"]) }) });
  assert(["Oslo", "Rome"].includes(r.parsed.city), r.content);
});
await step("respond, cancelled", async () => {
  const p = llm.respond(order("x…"), few);
  for await (const _ of p) await p.cancel();
  if (scripted) assert((await p).stats.stopReason === "userStopped", (await p).stats.stopReason);
});
await step("complete", async () => said((await llm.complete(order("on"), { maxTokens: 8 })).content, "on"));
await step("tokens and template", async () => {
  const ids = await llm.tokenize("hello world");
  assert(ids.length > 0 && (await llm.countTokens("hello world")) === ids.length, "counts differ");
  assert((await llm.applyPromptTemplate([{ role: "user", content: "hello" }])).includes("hello"), "no prompt");
});
await step("files", async () => {
  const read = await client.files.prepareFile(fileURLToPath(import.meta.url));
  assert(file.type === "text/plain" && read.sizeBytes > 1000, "no text");
  said((await llm.respond([{ role: "user", content: order("read"), images: [] }], few)).content, "read");
  const chat = Chat.empty();
  chat.append("user", order("about the file"), { files: [file] });
  said((await llm.respond(chat, few)).content, "about the file");
  const picture = await client.files.prepareImageBase64("a.png", Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1").toString("base64"));
  writeFileSync("picture.png", "\x89PNG\r\n\x1a\n0000", "latin1");
  await client.files.prepareImage("picture.png");
  const refused = await fails(llm.respond([{ role: "user", content: "see", images: [picture] }], few));
  assert(refused instanceof Error && /text only/.test(refused.message) && !/Rehydrated|without stack/.test(refused.message), refused.message); // as the SDK words what a server refuses
});
await step("log", async () => {
  const seen = [], wanted = old ? "llm.prediction.input" : "llm.prediction.output";
  const stop = client.diagnostics.unstable_streamLogs((e) => seen.push(e.data.type));
  for (let i = 0; i < 50 && !seen.includes(wanted); i++) await llm.respond(order("logged"), few);
  stop();
  assert(seen.includes("llm.prediction.input") && seen.includes(wanted), seen.join());
});

// act() in its kinds.
const add = tool({ name: "add", description: "adds", parameters: { a: z.number(), b: z.number() }, implementation: ({ a, b }) => a + b });
const ping = tool({ name: "ping", description: "no parameters", parameters: {}, implementation: () => "pong" });
const boom = tool({ name: "boom", description: "fails", parameters: { n: z.number() }, implementation: () => { throw new Error("boom"); } });
const odd = rawFunctionTool({ name: "odd_name-1", description: "raw", parametersJsonSchema: { type: "object", properties: { s: { type: "string" } }, required: ["s"] }, implementation: ({ s }) => s });
// No mask decides its pattern: calls of it are held until they have been checked.
const pair = rawFunctionTool({ name: "pair", description: "two of a kind", parametersJsonSchema: { type: "object", properties: { code: { type: "string", pattern: "^(a|b)\\1$" } }, required: ["code"] }, implementation: ({ code }) => code });
const three = call("add", { a: 1, b: 2 });
const sums = [1, 2, 3, 4, 5].map((n) => call("add", { a: n, b: n }));
async function act(answers, tools, opts = {}) {
  const log = { calls: [], pieces: "", text: "", failed: 0 };
  const r = await llm.act(order(...answers), tools, {
    ...few, maxPredictionRounds: scripted ? undefined : 2,
    onToolCallRequestEnd: (_r, _c, { toolCallRequest }) => log.calls.push(toolCallRequest.name),
    onToolCallRequestArgumentFragmentGenerated: (_r, _c, f) => (log.pieces += f),
    onToolCallRequestFailure: () => log.failed++,
    onMessage: (m) => (log.text = m.getText()),
    ...opts,
  });
  return { ...log, rounds: r.rounds };
}
const rounds = (r, n) => scripted && assert(r.rounds === n || r.rounds === n - 1, `${r.rounds} rounds, not ${n}`);
for (const [name, answers, tools, opts, check] of [
  ["no call", ["no tool is needed"], [add], {}, (r) => said(r.text, "no tool is needed")],
  ["one round", [three, "it is 3"], [add], {}, (r) => (rounds(r, 2), said(r.text, "it is 3"), said(r.calls, "add"))],
  ["five rounds", [...sums, "done"], [add], {}, (r) => (rounds(r, 6), said(r.calls.length, "5"))],
  ["two in one turn", [`${sums[0]}\n${sums[1]}`, "both"], [add], {}, (r) => said(r.calls.length, "2")],
  ["parallel execution", [`${three}\n${call("ping", {})}`, "both"], [add, ping], { allowParallelToolExecution: true }, (r) => said(r.calls, "add,ping")],
  ["text before the call", [`I add. ${three}`, "3"], [add], {}, (r) => said(r.calls, "add")],
  ["thinking before the call", [`<think>add them</think>${three}`, "3"], [add], {}, (r) => said(r.calls, "add")],
  ["no parameters", [call("ping", {}), "pong"], [ping], {}, (r) => said(r.calls, "ping")],
  ["a raw schema", [call("odd_name-1", { s: "x\"\\é👋" }), "ok"], [odd], {}, (r) => said(r.calls, "odd_name-1")],
  ["pieces are the arguments", [three, "3"], [add], {}, (r) => scripted && assert(JSON.parse(r.pieces).b === 2, r.pieces)],
  ["an undeclared tool is text", ['{"tool": "nope", "arguments": {}}'], [add], {}, (r) => said(r.calls.length, "0")],
  ["a limit of rounds", [three, "the limit"], [add], { maxPredictionRounds: 2 }, (r) => rounds(r, 2)],
  ["forced", [three, "3"], [add], { toolChoice: { type: "generic", mode: "required" }, maxPredictionRounds: 2 }, (r) => (rounds(r, 2), said(r.calls, "add"))],
  ["arguments that do not fit are text", [call("pair", { code: "ab" })], [pair], {}, (r) => (said(r.calls.length, "0"), said(r.failed, "0"))],
  ["a guard that denies", [three, "denied"], [add], { guardToolCall: (_r, _c, { deny }) => deny("no") }, (r) => said(r.text, "denied")],
  ["a guard that overrides", [three, "4"], [add], { guardToolCall: (_r, _c, { allowAndOverrideParameters }) => allowAndOverrideParameters({ a: 2, b: 2 }) }, (r) => said(r.text, "4")],
  ["many tools", [three, "3"], [add, ping, boom, odd], {}, (r) => said(r.calls, "add")],
]) {
  await step(`act, ${name}`, async () => check(await act(answers, tools, opts)));
}
await step("act, sixteen at once", async () => {
  if (!scripted) return;
  const all = await Promise.all(sums.concat(sums, sums, three).map((sum) => act([sum, "done"], [add])));
  assert(all.length === 16 && all.every((r) => r.calls.length === 1 && r.text === "done"), JSON.stringify(all));
});
await step("act, a tool that throws", async () => scripted && assert(/boom/.test((await fails(act([call("boom", { n: 1 }), "x"], [boom]))).message), "another error"));
await step("act, an engine that breaks its word inside a call", async () => scripted && assert(/left its grammar/.test((await fails(act([call("add", { a: "one", b: [] })], [add]))).message), "another error"));
await step("act, cancelled inside a call", async () => {
  if (!scripted) return;
  const stop = new AbortController();
  await act(['{"tool": "odd_name-1", "arguments": {"s": "…'], [odd], { signal: stop.signal, onToolCallRequestArgumentFragmentGenerated: () => stop.abort() }).catch((e) => e);
  assert((await llm.respond(order("still here"))).content === "still here", "the model is gone");
});
await step("respond sees calls", async () => {
  let name;
  const rawTools = { type: "toolArray", tools: [{ type: "function", function: { name: "add", description: "adds", parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } } } }] };
  const r = await llm.respond(order(three), { ...few, rawTools, onToolCallRequestNameReceived: (_c, n) => (name = n) });
  if (scripted) assert(name === "add" && r.stats.stopReason === "toolCalls", `${name} ${r.stats.stopReason}`);
});
await step("a required call", async () => {
  const rawTools = { type: "toolArray", tools: [{ type: "function", function: { name: "ping", parameters: { type: "object", properties: {} } } }] };
  let calls = 0;
  const required = old ? { rawTools: { ...rawTools, force: true } } : { rawTools, toolChoice: { type: "generic", mode: "required" } };
  await llm.respond(order(call("ping", {})), { ...few, ...required, onToolCallRequestEnd: () => calls++ });
  assert(calls > 0, "no call");
});
await step("the page's example", () => import("./example.mjs"));
await step("every method of the SDK was tried", async () => {
  // Those that do nothing on a wire, or end what the steps need.
  const left = ["system.whenDisconnected", "repository.downloadArtifact", "repository.createArtifactDownloadPlanner", "repository.createModelDownloadPlanner", "plugins.registerDevelopmentPlugin", "plugins.createGeneratorHandle"];
  const missed = [...methods].filter((m) => !tried.has(m) && !left.includes(m) && (scripted || !/embedding|searchModels/.test(m)));
  console.log(`${methods.size} methods, ${tried.size} tried, ${unserved.length} of them refused by design`);
  assert(missed.length === 0, missed.join(" "));
});
await step(`packets fit the SDK's schemas`, async () => {
  assert(warnings.length === 0, warnings.join(" | "));
  assert(packets > 100, `only ${packets} packets`);
  console.log(`${packets} packets, ${warnings.length} bad`);
});
await client[Symbol.asyncDispose]?.();
setImmediate(() => process.exit(0)); // an open socket would keep the process
end();
