// A model server that speaks the OpenAI protocol on loopback and answers word by word, slowly enough to
// watch.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { builtProgram } from "./window";

export interface SlowModel {
  address: string;
  stop: () => void;
}

export async function startSlowModel(millisecondsPerWord: number): Promise<SlowModel> {
  const server = spawn(builtProgram("examples/slow_server"), [String(millisecondsPerWord)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [first] = (await once(server.stdout, "data")) as [Buffer];
  return { address: first.toString().trim(), stop: () => server.kill() };
}

/** Creates a folder for `openWindow` whose settings send every prompt to that server. */
export function folderUsing(model: SlowModel): string {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
  const data = path.join(folder, "data");
  mkdirSync(data, { recursive: true });
  const settings = { provider: "openai", model: "slow", openaiBaseUrl: model.address };
  writeFileSync(path.join(data, "settings.json"), JSON.stringify(settings));
  return folder;
}
