// The content of the pictures: flows in states that the bundled flows do not have, and the runs of a history.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type FlowNode, wires } from "../support/flows";
import { builtProgram, root } from "../support/window";
import { BRIEF } from "./writer";

const node = (id: string, type: string, x: number, y: number, data: Record<string, unknown>): FlowNode => ({
  id,
  type,
  position: { x, y },
  data,
});

/**
 * A flow with three errors and a warning, each of which has a fix: a missing Exit, a misspelt name, a loop in
 * a loop, and an unreachable output.
 */
export const article = {
  name: "Article",
  nodes: [
    node("brief", "input", 0, 160, { label: "Brief", name: "brief", default: "Heat pumps in cold places" }),
    node("refine", "loop", 240, 160, { label: "Refine", maxIterations: 5, exitCondition: "evaluator" }),
    node("draft", "llm", 500, 160, { label: "Write draft", prompt: "Write 300 words about {{ brief }}" }),
    node("polish", "llm", 740, 160, {
      label: "Polish",
      prompt: "Make {{ darft }} plainer. Keep every fact. Cut words that do no work.",
    }),
    node("check", "loop", 500, 480, { label: "Check facts", maxIterations: 3, exitCondition: "evaluator" }),
    node("facts", "llm", 0, 700, { label: "Read facts", prompt: "List what {{ context }} claims." }),
    node("held", "router", 240, 700, {
      label: "All hold?",
      mode: "llm",
      prompt: "{{ input }}",
      branches: ["done", "continue"],
    }),
    node("checked", "exit", 500, 520, { label: "Checked" }),
    node("article", "output", 1020, 480, { label: "Article", name: "article" }),
  ],
  edges: wires(
    "brief.value -> refine.input",
    "refine.body -> draft.prompt",
    "draft.response -> polish.context",
    "polish.response -> check.input",
    "check.body -> facts.context",
    "facts.response -> held.input",
    "held.done -> checked.input",
    "held.continue -> check.feedback",
    "check.output -> refine.feedback",
  ),
};

/** A flow whose run waits for a person and skips a part. */
export const publish = {
  name: "Publish",
  nodes: [
    node("text", "input", 0, 160, {
      label: "News",
      name: "text",
      default: "The council voted to keep the library open, with shorter Sunday hours.",
    }),
    node("kind", "router", 240, 160, {
      label: "Long?",
      mode: "rules",
      branches: [
        { name: "long", when: "input | length > 500" },
        { name: "short", when: "true" },
      ],
    }),
    node("cut", "transform", 500, 60, { label: "Cut", template: "{{ input | truncate(length=400) }}" }),
    node("title", "transform", 500, 300, {
      label: "Add a title",
      template: "Library stays open\n\n{{ input }}",
    }),
    node("ask", "approval", 760, 300, { label: "Publish?", message: "Shall this be published?" }),
    node("out", "output", 1020, 160, { label: "Published", name: "published" }),
    node("back", "output", 1020, 420, { label: "Sent back", name: "back" }),
    node("short", "output", 760, 60, { label: "Cut text", name: "cut" }),
  ],
  edges: wires(
    "text.value -> kind.input",
    "kind.long -> cut.input",
    "kind.short -> title.input",
    "cut.output -> short.value",
    "title.output -> ask.input",
    "ask.approved -> out.value",
    "ask.rejected -> back.value",
  ),
};

/** A flow whose run fails at a script. */
export const failing = {
  name: "Invoice",
  nodes: [
    node("bill", "input", 0, 160, { label: "Invoice", name: "bill", default: "12 hours of work" }),
    node("total", "tool", 260, 160, {
      label: "Add up",
      tool: "script.lua",
      args: { source: 'error("the invoice has no amounts to add up")' },
    }),
    node("letter", "transform", 520, 160, { label: "Write letter", template: "You owe {{ input }}." }),
    node("out", "output", 780, 160, { label: "Letter", name: "letter" }),
  ],
  edges: wires("bill.value -> total.input", "total.result -> letter.input", "letter.output -> out.value"),
};

/** Returns the bundled flow about bread, with at most this many iterations. */
export function selfRefine(iterations = 5): object {
  const flow = JSON.parse(readFileSync(path.join(root, "templates/self-refine.json"), "utf8"));
  const set = (id: string, data: object) =>
    Object.assign(flow.nodes.find((one: FlowNode) => one.id === id).data, data);
  set("topic", { label: "Brief", default: BRIEF });
  set("refine", { maxIterations: iterations });
  // A budget needs a limit on each answer.
  for (const id of ["draft", "critique"]) set(id, { maxTokens: 400 });
  return flow;
}

export function write(folder: string, name: string, flow: object): string {
  const file = path.join(folder, "flows", name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, ...flow }));
  return file;
}

/** Returns settings for the model server at `address`. The name of the model determines the prices. */
export const asking = (address: string, model = "gpt-4.1") => ({
  provider: "openai",
  model,
  openaiBaseUrl: address,
  budgetUsd: 0.25,
});

export function folderWith(settings: object): string {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-pictures-"));
  mkdirSync(path.join(folder, "data"));
  setUp(folder, settings);
  return folder;
}

/** The type settings of desktops. A bare display snaps letters to whole pixels. */
const TYPE =
  "[Settings]\ngtk-xft-antialias=1\ngtk-xft-hinting=1\ngtk-xft-hintstyle=hintslight\ngtk-xft-rgba=none\n";

export function setUp(folder: string, settings: object): void {
  const gtk = path.join(folder, "config/gtk-3.0");
  mkdirSync(gtk, { recursive: true });
  writeFileSync(path.join(gtk, "settings.ini"), TYPE);
  writeFileSync(path.join(folder, "data/settings.json"), JSON.stringify(settings));
}

/** Creates a folder with files and past runs, the last of which was killed in its fourth iteration. */
export async function folderWithHistory(address: string): Promise<string> {
  const folder = folderWith({});
  const program = builtProgram("loopwright");
  const env = { PATH: process.env.PATH ?? "", HOME: folder, LOOPWRIGHT_DATA_DIR: path.join(folder, "data") };
  // Asynchronous, because the writer is in this process.
  const run = (flow: string, ...more: string[]) =>
    promisify(execFile)(program, ["run", flow, ...more], { env, cwd: folder });
  const template = (name: string) =>
    JSON.parse(readFileSync(path.join(root, `templates/${name}.json`), "utf8"));
  for (const name of ["map-over-a-list", "summarise-until-stable", "retry-with-correction", "agentic-search"])
    await run(write(folder, `${name}.flow.json`, template(name)));
  const refine = write(folder, "self-refine.flow.json", selfRefine());
  setUp(folder, asking(address, "gpt-4.1-mini"));
  await run(refine, "--set", "refine.maxIterations=3");
  setUp(folder, asking(address));
  await run(refine);
  const killed = spawn(program, ["run", refine, "--events"], {
    env,
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  killed.stdout.on("data", (part: Buffer) => {
    output += part;
  });
  while (!output.includes("refine[4]") && killed.exitCode === null) await sleep(20);
  await sleep(200);
  const gone = once(killed, "exit");
  killed.kill("SIGKILL");
  await gone;
  return folder;
}
