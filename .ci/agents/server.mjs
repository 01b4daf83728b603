// A stand-in for the model servers of Claude Code, Codex and Gemini, on loopback. It has no model: it answers
// by a script. Each conversation thinks, reads a file, edits it, runs a command, and says that it is done.
import http from "node:http";

const SAID = "I read the file first.";
const THOUGHT = "The word in the file is wrong.";
const DONE = "The word is right now.";

/**
 * Starts the server. `job` says what the agent does: `file` is edited, from `from` to `to`, and then `command`
 * runs. Paths are relative to the agent's folder unless `at` says where it is.
 */
export async function startStandIn(job) {
  const asked = [];
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const address = request.url.split("?")[0];
      const body = parsed(Buffer.concat(parts).toString());
      asked.push(address);
      const answer = answerOf(address, body, job);
      const type = answer ? "text/event-stream" : "application/json";
      response.writeHead(200, { "content-type": type });
      response.end(answer ?? "{}");
    });
  });
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    asked,
    end: () => server.close() && server.closeAllConnections(),
  };
}

function answerOf(address, body, job) {
  if (address === "/v1/messages") return claude(body, job);
  if (address.endsWith("/responses")) return codex(body, job);
  if (address.includes("streamGenerateContent")) return gemini(body, job);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Formats events as a stream. An event with a `type` also has it as its name. */
function stream(events) {
  return events
    .map((event) => `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
    .join("");
}

/** Finds the agent's folder in its own prompt, because the tools of some agents need absolute paths. */
function inFolder(text, file) {
  const found =
    /(?:Primary working directory|Working directory|<cwd>|I'm currently working in the directory|Workspace Directories:\*{0,2}\s*-)[:\s*`]*(\/[^\s<`"\\]+)/.exec(
      text,
    );
  return found ? `${found[1]}/${file}` : file;
}

function claude(body, { file, from, to, command }) {
  const text = JSON.stringify(body);
  const tools = (body.tools ?? []).map(({ name }) => name);
  const done = (text.match(/"type":"tool_result"/g) ?? []).length;
  const path = inFolder(text.replaceAll("\\n", "\n"), file);
  const call = tools.includes("Edit")
    ? [
        ["Read", { file_path: path }],
        ["Edit", { file_path: path, old_string: from, new_string: to }],
        ["Bash", { command, description: "Run the tests" }],
      ][done]
    : undefined;
  const blocks = [];
  if (tools.includes("Edit") && done === 0) {
    blocks.push(
      [
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: THOUGHT },
        { type: "signature_delta", signature: "c3RhbmQtaW4=" },
      ],
      [
        { type: "text", text: "" },
        { type: "text_delta", text: SAID },
      ],
    );
  }
  blocks.push(
    call
      ? [
          { type: "tool_use", id: `toolu_${done}`, name: call[0], input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(call[1]) },
        ]
      : [
          { type: "text", text: "" },
          { type: "text_delta", text: DONE },
        ],
  );
  return stream([
    {
      type: "message_start",
      message: {
        id: `msg_${done}`,
        type: "message",
        role: "assistant",
        model: "stand-in",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 100, output_tokens: 1 },
      },
    },
    ...blocks.flatMap(([content_block, ...deltas], index) => [
      { type: "content_block_start", index, content_block },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: "message_stop" },
  ]);
}

function codex(body, { file, from, to, command }) {
  const done = (body.input ?? []).filter(({ type }) => type?.endsWith("_output")).length;
  const tools = (body.tools ?? []).map(({ name, type }) => name ?? type);
  const shell = (cmd) => {
    if (tools.includes("exec_command")) return ["exec_command", { cmd }];
    if (tools.includes("shell_command")) return ["shell_command", { command: cmd }];
    return ["shell", { command: ["bash", "-lc", cmd] }];
  };
  const called = ([name, input]) => ({
    type: "function_call",
    id: `fc_${done}`,
    call_id: `call_${done}`,
    name,
    arguments: JSON.stringify(input),
  });
  const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-${from}\n+${to}\n*** End Patch\n`;
  const edit = tools.includes("apply_patch")
    ? {
        type: "custom_tool_call",
        id: "ct_1",
        call_id: "call_1",
        name: "apply_patch",
        input: patch,
        status: "completed",
      }
    : called(shell(`apply_patch <<'EOF'\n${patch}EOF`));
  const say = (text) => ({
    id: `m_${done}`,
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  });
  const reasoning = {
    type: "reasoning",
    id: "rs_0",
    summary: [{ type: "summary_text", text: `**Looking**\n\n${THOUGHT}` }],
  };
  const items = [
    [reasoning, say(SAID), called(shell(`cat ${file}`))],
    [edit],
    [called(shell(command))],
    [say(DONE)],
  ][Math.min(done, 3)];
  const response = { id: `r_${done}`, object: "response", status: "in_progress", output: [] };
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  };
  return stream([
    { type: "response.created", response },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      ...(item.type === "reasoning"
        ? [
            {
              type: "response.reasoning_summary_part.added",
              item_id: item.id,
              output_index,
              summary_index: 0,
              part: item.summary[0],
            },
            {
              type: "response.reasoning_summary_text.delta",
              item_id: item.id,
              output_index,
              summary_index: 0,
              delta: item.summary[0].text,
            },
          ]
        : []),
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { ...response, status: "completed", output: items, usage } },
  ]);
}

function gemini(body, { file, from, to, command }) {
  const text = JSON.stringify(body.contents ?? []);
  const done = (text.match(/"functionResponse"/g) ?? []).length;
  const names = (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []).map(({ name }) => name);
  const path = inFolder(JSON.stringify(body).replaceAll("\\n", "\n"), file);
  const call = names.includes("replace")
    ? [
        ["read_file", { file_path: path }],
        ["replace", { file_path: path, old_string: from, new_string: to, instruction: "Correct the word." }],
        ["run_shell_command", { command, description: "Run the tests" }],
      ][done]
    : undefined;
  const parts = done === 0 && call ? [{ text: THOUGHT, thought: true }, { text: SAID }] : [];
  parts.push(call ? { functionCall: { name: call[0], args: call[1] } } : { text: DONE });
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
  return stream(
    parts.map((part, index) => ({
      candidates: [
        {
          content: { role: "model", parts: [part] },
          index: 0,
          ...(index === parts.length - 1 ? { finishReason: "STOP" } : {}),
        },
      ],
      usageMetadata,
      modelVersion: "stand-in",
    })),
  );
}
