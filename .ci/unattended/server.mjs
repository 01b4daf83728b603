// A stand-in for a provider of models on this computer. It records every call and how the call ended.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/**
 * The prices that the program uses, in dollars per million tokens. These are also the micro-dollars of one
 * token.
 */
export const PRICE = { input: 1, output: 10 };

export class ModelServer {
  /**
   * All calls, in the order of their arrival. `ended` is "answered", "refused", "cut" if the caller went away
   * before the answer, or null while the call is in progress.
   */
  calls = [];
  #answer;
  #server = createServer((request, response) => this.#serve(request, response));

  /**
   * Starts a server. `answer` receives each call, and returns `after`, the milliseconds until the answer, and either
   * the `tokens` of the answer or the `status`, `headers` and `error` of a refusal. It is called when the call
   * arrives.
   */
  static async start(answer) {
    const server = new ModelServer();
    server.#answer = answer;
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  stop() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  answered() {
    return this.calls.filter(({ ended }) => ended === "answered");
  }

  /** Returns the total cost of the answered calls, in micro-dollars. */
  cost() {
    return this.answered().reduce((sum, { cost }) => sum + cost, 0);
  }

  async #serve(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    if (request.method !== "POST") return json(response, 200, { data: [{ id: "m", object: "model" }] });
    const asked = JSON.parse(Buffer.concat(parts).toString());
    const prompt = asked.messages.at(-1).content;
    const call = { number: this.calls.length, prompt, at: Date.now(), endedAt: null, ended: null, cost: 0 };
    this.calls.push(call);
    const { after = 0, tokens, status, headers, error } = this.#answer(call);
    const end = (how) => {
      call.ended ??= how;
      call.endedAt ??= Date.now();
    };
    response.on("close", () => end("cut"));
    await pause(after);
    if (call.ended) return;
    if (status) {
      end("refused");
      return json(response, status, { error }, headers);
    }
    const usage = {
      prompt_tokens: prompt.length,
      completion_tokens: tokens,
      total_tokens: prompt.length + tokens,
    };
    call.cost = usage.prompt_tokens * PRICE.input + tokens * PRICE.output;
    end("answered");
    const message = { role: "assistant", content: answerTo(call) };
    json(response, 200, {
      id: `call-${call.number}`,
      object: "chat.completion",
      model: asked.model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage,
    });
  }
}

/** Returns the text of the answer to a call. No two answers are equal. */
export const answerTo = ({ number, prompt }) => `Answer ${number} to ${prompt}`;

/** Returns the number of the call that gave this answer, if it is an answer to `prompt`; otherwise undefined. */
export function numberOf(answer, prompt) {
  const [, number, rest] = /^Answer (\d+) to (.*)$/s.exec(answer) ?? [];
  return rest === prompt ? Number(number) : undefined;
}

function json(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
