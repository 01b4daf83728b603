// A model server that speaks the OpenAI protocol on loopback and streams a set number of tokens per second.
// It also lists its model as Ollama does, so that it is discovered at Ollama's port.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The interval in milliseconds at which pieces are sent. Each piece has its share of the tokens of a second.
 */
const TICK = 10;
const WORDS = "harbour seldom carries winter letters beyond quiet roofs and".split(" ");

export interface FastModel {
  address: string;
  /** Returns the number of tokens that all calls have written so far. */
  written: () => number;
  stop: () => void;
}

const chunk = (content: string) =>
  `data: ${JSON.stringify({ model: "fast", choices: [{ delta: { content } }] })}\n\n`;

/** Ollama's own list of models. */
const TAGS = { models: [{ name: "fast", details: { parameter_size: "1B", quantization_level: "Q4_0" } }] };

/**
 * Starts a server that answers each call with `tokens` tokens, in one event each. If `port` is 0, selects a
 * free port. Rejects if the port is in use.
 */
export async function startFastModel(perSecond: number, tokens: number, port = 0): Promise<FastModel> {
  let written = 0;
  const answer = (reply: ServerResponse) => {
    reply.writeHead(200, { "content-type": "text/event-stream" });
    const begun = performance.now();
    let sent = 0;
    const timer = setInterval(() => {
      const due = Math.min(tokens, Math.floor(((performance.now() - begun) / 1000) * perSecond));
      let events = "";
      for (; sent < due; sent++) events += chunk(`${WORDS[sent % WORDS.length]} `);
      written += events === "" ? 0 : events.split("\n\n").length - 1;
      reply.write(events);
      if (sent < tokens) return;
      clearInterval(timer);
      reply.write(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\n`);
      const usage = { prompt_tokens: 10, completion_tokens: tokens };
      reply.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    }, TICK);
    reply.on("close", () => clearInterval(timer));
  };
  const server = createServer((request, reply) => {
    if (request.method === "GET") {
      reply.writeHead(200, { "content-type": "application/json" });
      const models = { object: "list", data: [{ id: "fast", object: "model" }] };
      reply.end(JSON.stringify(request.url === "/api/tags" ? TAGS : models));
      return;
    }
    request.resume();
    request.on("end", () => answer(reply));
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", listening);
  });
  const at = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${at.port}/v1`,
    written: () => written,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
