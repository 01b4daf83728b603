// A model server for measurements: every answer comes after a fixed time, over connections that stay open. A process of its
// own, so that what is measured does not share its event loop. Prints its port; argument: milliseconds for an answer.
import http from "node:http";

const after = Number(process.argv[2] ?? 50);
const event = (data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
const answer =
  event({ model: "slow", choices: [{ index: 0, delta: { content: "done" } }] }) +
  event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
  event({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } }) +
  event("[DONE]");

const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on("end", () => {
    setTimeout(() => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(answer);
    }, after);
  });
});
server.listen(0, "127.0.0.1", 1024, () => console.log(server.address().port));
