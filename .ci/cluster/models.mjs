// A model server on loopback (OpenAI's protocol) that records each call: its prompt, the worker, the time,
// and whether the answer was sent. Equal prompts get equal answers.
import { createHash } from "node:crypto";
import http from "node:http";

/** The cost of a call at the prices that the torture tests use (`world.mjs`), in micro-dollars. */
export const CALL_MICROUSD = 3_000;
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/**
 * Returns the answer to a prompt. Some answers are so long that a store keeps them separate from their records.
 */
export function answerTo(prompt, length) {
  const hash = createHash("sha256").update(prompt).digest();
  const word = hash.toString("hex");
  const wanted = length ?? (hash[0] % 4 === 0 ? 1_500 : 200);
  return word.repeat(Math.ceil(wanted / word.length)).slice(0, wanted);
}

export class ModelServer {
  /** `{ prompt, worker, askedAt, answeredAt }` in order of arrival; times in ms since the Unix epoch. */
  calls = [];

  /**
   * Starts a server. `pauseMs` is the shortest and longest time of an answer, `length` that of each answer in
   * characters.
   */
  static async start({ pauseMs = [0, 0], length } = {}) {
    const server = new ModelServer();
    Object.assign(server, { pauseMs, length });
    server.http = http.createServer((request, response) => server.#serve(request, response));
    server.http.keepAliveTimeout = 60_000;
    await new Promise((resolve) => server.http.listen(0, "127.0.0.1", resolve));
    server.url = `http://127.0.0.1:${server.http.address().port}/v1`;
    return server;
  }

  stop() {
    this.http.close();
    this.http.closeAllConnections();
  }

  #serve(request, response) {
    const pieces = [];
    // A killed worker leaves its connection half open.
    request.on("error", () => {});
    response.on("error", () => {});
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      if (request.method === "POST") {
        this.#answer(JSON.parse(Buffer.concat(pieces)), request, response);
        return;
      }
      send(response, { object: "list", data: [{ id: "test", object: "model" }] });
    });
  }

  #answer(asked, request, response) {
    const prompt = asked.messages.at(-1).content;
    const worker = /^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1];
    const call = { prompt, worker, askedAt: Date.now(), answeredAt: undefined };
    this.calls.push(call);
    response.on("finish", () => {
      call.answeredAt = Date.now();
    });
    const text = answerTo(prompt, this.length);
    const message = { role: "assistant", content: text };
    const body = {
      id: "c",
      object: "chat.completion",
      model: asked.model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: USAGE,
    };
    const [least, most] = this.pauseMs;
    if (most === 0) return send(response, body);
    const share = Number.parseInt(text.slice(0, 4), 16) / 0xffff;
    setTimeout(() => send(response, body), least + share * (most - least));
  }
}

function send(response, body) {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
