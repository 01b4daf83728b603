// A stand-in for the model servers of Claude Code, Codex and Gemini, on loopback. It has no model and gives
// scripted answers. In each turn it thinks, reads a file, edits it, runs a command, and says that the repair
// is done. The next turn makes the next repair, in the same or in a new conversation.
import http from "node:http";

const SAID = "I read the file first.";
const THOUGHT = "Something in the file is wrong.";
const DONE = /^Repair \d+ is done\.$/;
const doneIn = (turn) => `Repair ${turn} is done.`;

/**
 * Starts the server. `job` describes the work of the agent: one turn for each of the `repairs`, in which the
 * line `before` of `file` is replaced by the line `after`, and then `command` runs. Returns the `address` of
 * the server, and the list of `turns` so far. Each turn contains the tokens that its answers reported:
 * `input` in total, the `cached` part of it, and `output`. `earlier` is the number of tool results from
 * earlier turns in its conversation.
 */
export async function startStandIn(job) {
  const turns = [];
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const body = parsed(Buffer.concat(parts).toString());
      const form = formOf(request.url.split("?")[0]);
      response.writeHead(200, { "content-type": form ? "text/event-stream" : "application/json" });
      response.end(form ? form.stream(next(form, body, job, turns)) : "{}");
    });
  });
  await new Promise((listens) => server.listen(0, "127.0.0.1", listens));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    turns,
    end: () => server.close() && server.closeAllConnections(),
  };
}

function formOf(address) {
  if (address === "/v1/messages") return claude;
  if (address.endsWith("/responses")) return codex;
  if (address.includes("streamGenerateContent")) return gemini;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/**
 * Returns the next answer: the `text`, or the tool to `call` with its arguments, the `tokens` to report, an `id`, and
 * whether it is the `first` of its turn.
 */
function next(form, body, job, turns) {
  const none = { id: "0", tokens: { input: 0, cached: 0, output: 0 } };
  // The programs also request titles and similar texts, without offering tools.
  if (!form.canEdit(body)) return { ...none, text: "Word" };
  const { earlier, results } = since(form.conversation(body));
  if (results.length === 0 && turns.at(-1)?.isOver !== false) {
    turns.push({ earlier, calls: [], made: 0, isOver: false, input: 0, cached: 0, output: 0 });
  }
  const [number, turn] = [turns.length, turns.at(-1)];
  const repair = job.repairs[number - 1];
  if (!repair) return { ...none, text: "There is nothing to repair." };
  // The program requests an answer again if it did not arrive.
  const isRepeated = results.length < turn.calls.length || turn.isOver;
  if (!isRepeated) {
    const wanted =
      form.wait?.(results.at(-1)) ?? form.calls(body, { ...repair, command: job.command })[turn.made++];
    if (wanted) turn.calls.push(wanted);
    else turn.isOver = true;
  }
  const call = turn.calls[results.length];
  // All turns cost the same, so a turn that is also charged for an earlier one is detected.
  const tokens = { input: 110 + results.length, cached: 10, output: 20 + results.length };
  if (!isRepeated) for (const [name, count] of Object.entries(tokens)) turn[name] += count;
  const id = `${number}_${results.length}`;
  return { id, tokens, call, first: results.length === 0, text: call ? undefined : doneIn(number) };
}

/**
 * Divides a conversation at the last text that ended a turn. Returns the number of tool results before that
 * text as `earlier`, and the tool results after it as `results`.
 */
function since(conversation) {
  let [earlier, results] = [0, []];
  for (const { said, result } of conversation) {
    if (result !== undefined) results.push(result);
    if (DONE.test(said?.trim() ?? "")) [earlier, results] = [earlier + results.length, []];
  }
  return { earlier, results };
}

/** Formats events as a stream. If an event has a `type`, that is also the event's name. */
function stream(events) {
  return events
    .map((event) => `${event.type ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
    .join("");
}

/**
 * Returns the absolute path of `file`, because the tools of some agents need it. The agent's folder is read
 * from the agent's own prompt.
 */
function inFolder(body, file) {
  const text = JSON.stringify(body).replaceAll("\\n", "\n");
  const found =
    /(?:Primary working directory|Working directory|<cwd>|I'm currently working in the directory|Workspace Directories:\*{0,2}\s*-)[:\s*`]*(\/[^\s<`"\\]+)/.exec(
      text,
    );
  return found ? `${found[1]}/${file}` : file;
}

const claude = {
  canEdit: (body) => (body.tools ?? []).some(({ name }) => name === "Edit"),
  conversation: (body) =>
    (body.messages ?? []).flatMap(({ role, content }) =>
      (typeof content === "string" ? [{ type: "text", text: content }] : content).map((part) => ({
        said: role === "assistant" ? part.text : undefined,
        result: part.type === "tool_result" ? part.content : undefined,
      })),
    ),
  calls(body, { file, before, after, command }) {
    const file_path = inFolder(body, file);
    return [
      ["Read", { file_path }],
      ["Edit", { file_path, old_string: before, new_string: after }],
      ["Bash", { command, description: "Run the tests", timeout: 600_000 }],
    ];
  },
  stream({ id, tokens, call, first, text }) {
    const blocks = [];
    if (first) {
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
            { type: "tool_use", id: `toolu_${id}`, name: call[0], input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(call[1]) },
          ]
        : [
            { type: "text", text: "" },
            { type: "text_delta", text },
          ],
    );
    const usage = { input_tokens: tokens.input - tokens.cached, cache_read_input_tokens: tokens.cached };
    return stream([
      {
        type: "message_start",
        message: {
          id: `msg_${id}`,
          type: "message",
          role: "assistant",
          model: "stand-in",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...usage, cache_creation_input_tokens: 0, output_tokens: 1 },
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
        usage: { output_tokens: tokens.output },
      },
      { type: "message_stop" },
    ]);
  },
};

/** How long Codex waits for a command before it asks how to continue, in milliseconds. */
const CODEX_WAITS = 30_000;

const codex = {
  canEdit: (body) => (body.tools ?? []).length > 0,
  conversation: (body) =>
    (body.input ?? []).map(({ type, role, content, output }) => ({
      said: type === "message" && role === "assistant" ? content?.[0]?.text : undefined,
      result: type?.endsWith("_output") ? output : undefined,
    })),
  calls(body, { file, before, after, command }) {
    const tools = (body.tools ?? []).map(({ name, type }) => name ?? type);
    const shell = (cmd) => {
      if (tools.includes("exec_command")) return ["exec_command", { cmd, yield_time_ms: CODEX_WAITS }];
      if (tools.includes("shell_command")) return ["shell_command", { command: cmd }];
      return ["shell", { command: ["bash", "-lc", cmd] }];
    };
    const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-${before}\n+${after}\n*** End Patch\n`;
    const edit = tools.includes("apply_patch")
      ? ["apply_patch", patch]
      : shell(`apply_patch <<'EOF'\n${patch}EOF`);
    return [shell(`cat ${file}`), edit, shell(command)];
  },
  wait(result) {
    const session = /running with session ID (\d+)/.exec(JSON.stringify(result ?? ""))?.[1];
    if (!session) return;
    return ["write_stdin", { session_id: Number(session), chars: "", yield_time_ms: CODEX_WAITS }];
  },
  stream({ id, tokens, call, first, text }) {
    const message = (said) => ({
      id: `m_${id}`,
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: said, annotations: [] }],
    });
    const reasoning = {
      type: "reasoning",
      id: `rs_${id}`,
      summary: [{ type: "summary_text", text: `**Looking**\n\n${THOUGHT}` }],
    };
    const items = first ? [reasoning, message(SAID)] : [];
    const called = { id: `fc_${id}`, call_id: `call_${id}`, name: call?.[0] };
    if (!call) items.push(message(text));
    else if (typeof call[1] === "string") {
      items.push({ type: "custom_tool_call", ...called, input: call[1], status: "completed" });
    } else items.push({ type: "function_call", ...called, arguments: JSON.stringify(call[1]) });
    const response = { id: `r_${id}`, object: "response", status: "in_progress", output: [] };
    const usage = {
      input_tokens: tokens.input,
      input_tokens_details: { cached_tokens: tokens.cached },
      output_tokens: tokens.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: tokens.input + tokens.output,
    };
    const summaryOf = (item, output_index) => {
      const at = { item_id: item.id, output_index, summary_index: 0 };
      return [
        { type: "response.reasoning_summary_part.added", ...at, part: item.summary[0] },
        { type: "response.reasoning_summary_text.delta", ...at, delta: item.summary[0].text },
      ];
    };
    return stream([
      { type: "response.created", response },
      ...items.flatMap((item, output_index) => [
        { type: "response.output_item.added", output_index, item },
        ...(item.type === "reasoning" ? summaryOf(item, output_index) : []),
        { type: "response.output_item.done", output_index, item },
      ]),
      { type: "response.completed", response: { ...response, status: "completed", output: items, usage } },
    ]);
  },
};

const gemini = {
  canEdit: (body) =>
    (body.tools ?? []).some(({ functionDeclarations }) =>
      functionDeclarations?.some(({ name }) => name === "replace"),
    ),
  conversation: (body) =>
    (body.contents ?? []).flatMap(({ role, parts }) =>
      (parts ?? []).map((part) => ({
        said: role === "model" ? part.text : undefined,
        result: part.functionResponse,
      })),
    ),
  calls(body, { file, before, after, command }) {
    const file_path = inFolder(body, file);
    return [
      ["read_file", { file_path }],
      ["replace", { file_path, old_string: before, new_string: after, instruction: "Correct the line." }],
      ["run_shell_command", { command, description: "Run the tests" }],
    ];
  },
  stream({ tokens, call, first, text }) {
    const parts = first ? [{ text: THOUGHT, thought: true }, { text: SAID }] : [];
    parts.push(call ? { functionCall: { name: call[0], args: call[1] } } : { text });
    const usageMetadata = {
      promptTokenCount: tokens.input,
      cachedContentTokenCount: tokens.cached,
      candidatesTokenCount: tokens.output,
      totalTokenCount: tokens.input + tokens.output,
    };
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
  },
};
