// A model server for the pictures: it writes one text better each time it is asked, word by word, so that a loop can be
// seen running. It speaks as much of the chat completions protocol as a stream needs.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const DRAFTS = [
  "The new library is going to be a building near to the river which has got a lot of space, and people can read in it and also park.",
  "The new library will stand near the river. It has room for quiet reading, and a small place to park. Residents worry about its cost.",
  "The new library will stand by the river, with quiet rooms to read in and few places to park. Residents ask what it costs; the mayor answers that a town which reads saves more than it spends.",
] as const;

const CRITIQUES = [
  "Say where it stands in one short sentence. Leave out “is going to be” and “has got”. Nothing is said of the cost, which is what people ask about.",
  "Good. Now let the mayor answer the worry about its cost, and end on a sentence that can be quoted.",
  "Clear, short and fair to both sides. Nothing more to change.",
] as const;

export interface Writer {
  address: string;
  stop: () => void;
}

interface Asked {
  messages?: { role: string; content: string }[];
}

function reply(asked: Asked): string {
  const prompt = asked.messages?.map((message) => message.content).join("\n") ?? "";
  const critic = /editor|critique the draft/i.test(asked.messages?.[0]?.content ?? "");
  const at = DRAFTS.findLastIndex((draft) => prompt.includes(draft));
  return (critic ? CRITIQUES[Math.max(at, 0)] : DRAFTS[Math.min(at + 1, DRAFTS.length - 1)]) ?? "";
}

async function stream(response: ServerResponse, text: string, pauseMs: number): Promise<void> {
  const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const word of text.match(/\S+\s*/g) ?? []) {
    send({ model: "writer", choices: [{ delta: { content: word } }] });
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
      } else void stream(response, reply(JSON.parse(body) as Asked), pauseMs);
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
