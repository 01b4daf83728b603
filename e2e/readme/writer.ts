// A model server for the pictures: it improves one text with each call and streams it word by word, so that a
// running loop can be seen. It implements only the part of the chat completions protocol that streaming
// needs.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export const BRIEF = "Why bread rises, for a curious ten-year-old";

const DRAFTS = [
  "Bread rises because of yeast, a tiny living thing that eats the sugars in flour and makes gas, filling the dough with bubbles. In the oven, the heat swells the bubbles, then kills the yeast and sets the loaf.",
  "Bread rises because yeast eats the sugars in flour and lets out a gas. The gas makes bubbles. The dough is stretchy, so the bubbles get trapped and everything puffs up. In the oven, the heat swells the bubbles, then kills the yeast and sets the loaf.",
  "Bread rises because yeast feeds on the sugars in flour and breathes out carbon dioxide. Kneading links the proteins in dough into a stretchy net called gluten, so each bubble is trapped and the whole loaf puffs up. In the oven, the heat swells the bubbles, then kills the yeast and sets the loaf.",
  "Bread rises because yeast feeds on the sugars in flour and breathes out carbon dioxide, the gas in fizzy drinks. Kneading links the proteins in dough into a stretchy net called gluten, so each bubble is trapped and the whole loaf puffs up. In the oven, the heat swells the bubbles, then kills the yeast and sets the loaf.",
  "Bread rises because yeast feeds on the sugars in flour and breathes out carbon dioxide, the gas in fizzy drinks. Kneading links the proteins in dough into a stretchy net called gluten, so each bubble is trapped and the whole loaf puffs up. In the oven, the heat swells the bubbles, then kills the yeast and sets the loaf, holes and all.",
] as const;

const CRITIQUES = [
  "Too slow to start. Lead with the cause, and say why the gas stays in the dough.",
  "“Lets out a gas” is vague: name the gas. Say why dough holds bubbles.",
  "Good. A child will not know carbon dioxide: say where they have met it.",
  "Nearly there. End on something to look for in a slice.",
  "Clear, true and short. Nothing more to change.",
] as const;

export interface Writer {
  address: string;
  stop: () => void;
}

interface ChatRequest {
  model: string;
  messages?: { role: string; content: string }[];
}

function reply(asked: ChatRequest): string {
  const prompt = asked.messages?.map((message) => message.content).join("\n") ?? "";
  const critic = /editor|critique the draft/i.test(asked.messages?.[0]?.content ?? "");
  const at = DRAFTS.findLastIndex((draft) => prompt.includes(draft));
  return (critic ? CRITIQUES[Math.max(at, 0)] : DRAFTS[Math.min(at + 1, DRAFTS.length - 1)]) ?? "";
}

async function stream(response: ServerResponse, asked: ChatRequest, pauseMs: number): Promise<void> {
  const text = reply(asked);
  const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const word of text.match(/\S+\s*/g) ?? []) {
    send({ model: asked.model, choices: [{ delta: { content: word } }] });
    await sleep(pauseMs);
  }
  const words = text.split(" ").length;
  send({ choices: [{ delta: {}, finish_reason: "stop" }] });
  send({ choices: [], usage: { prompt_tokens: 3 * words, completion_tokens: words } });
  response.end("data: [DONE]\n\n");
}

/** Starts the server on a free port of this machine. */
export async function startWriter(pauseMs: number): Promise<Writer> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      if (request.method === "GET") {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ object: "list", data: [{ id: "writer", object: "model" }] }));
      } else void stream(response, JSON.parse(body) as ChatRequest, pauseMs);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the system gave no port");
  return {
    address: `http://127.0.0.1:${address.port}/v1`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
