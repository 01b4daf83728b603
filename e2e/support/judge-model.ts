// A model server that speaks the OpenAI protocol on loopback and gives a list of answers in sequence, slowly
// enough to watch: verdicts, texts, and the refusals of a busy server.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Verdict {
  branch: string;
  reason: string;
}

/**
 * The answer to a call: a verdict, a text, or a refusal with its status. A text with `after` begins when that
 * promise is settled.
 */
export type Answer =
  | Verdict
  | { text: string; after?: Promise<unknown> }
  | { status: number; retryAfter?: number };

export interface JudgeModel {
  address: string;
  /** The prompts that the server received, one for each call. */
  readonly asked: readonly string[];
  stop: () => void;
}

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

/**
 * Starts the server. It repeats the last answer for every further call. If `answers` is a function, it returns
 * the answer to a prompt. `everyMs` is the interval between two pieces of an answer.
 */
export async function startJudgeModel(
  answers: readonly Answer[] | ((prompt: string) => Answer),
  everyMs = 20,
): Promise<JudgeModel> {
  const asked: string[] = [];
  const answer = async (prompt: string, reply: ServerResponse) => {
    const given =
      typeof answers === "function" ? answers(prompt) : answers[Math.min(asked.length, answers.length) - 1];
    if (given !== undefined && "status" in given) {
      const retry = given.retryAfter === undefined ? {} : { "retry-after": String(given.retryAfter) };
      reply.writeHead(given.status, { "content-type": "application/json", ...retry });
      reply.end(JSON.stringify({ error: { message: "The server is busy.", code: given.status } }));
      return;
    }
    if (given !== undefined && "after" in given) await given.after;
    if (reply.destroyed) return;
    const text = given !== undefined && "text" in given ? given.text : JSON.stringify(given);
    const pieces = text.match(/.{1,6}/gs) ?? [];
    reply.writeHead(200, { "content-type": "text/event-stream" });
    const timer = setInterval(() => {
      const piece = pieces.shift();
      if (piece !== undefined) {
        reply.write(event({ model: "judge", choices: [{ delta: { content: piece } }] }));
        return;
      }
      clearInterval(timer);
      reply.write(event({ choices: [{ delta: {}, finish_reason: "stop" }] }));
      const usage = { prompt_tokens: 10, completion_tokens: 10 };
      reply.end(`${event({ choices: [], usage })}data: [DONE]\n\n`);
    }, everyMs);
    reply.on("close", () => clearInterval(timer));
  };
  const server = createServer((request, reply) => {
    if (request.method === "GET") {
      reply.writeHead(200, { "content-type": "application/json" });
      reply.end(JSON.stringify({ object: "list", data: [{ id: "judge", object: "model" }] }));
      return;
    }
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      asked.push(body);
      void answer(body, reply);
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  const at = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${at.port}/v1`,
    asked,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
