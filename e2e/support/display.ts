// A display without a screen for the whole test run, so that no window opens over somebody's work.
import { spawn } from "node:child_process";
import { once } from "node:events";

declare module "vitest" {
  interface ProvidedContext {
    display: string;
  }
}

/** Starts Xvfb on a free display number; gives that display and how to end it. */
export async function startDisplay(): Promise<{ display: string; stop: () => void }> {
  const server = spawn("Xvfb", ["-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const numbers = server.stdio[3];
  if (!numbers) throw new Error("Xvfb was started without the pipe that tells its display");
  const failed = once(server, "exit").then(() => {
    throw new Error("Xvfb ended before it had a display; is the package xvfb installed?");
  });
  failed.catch(() => undefined);
  const [number] = (await Promise.race([once(numbers, "data"), failed])) as [Buffer];
  return { display: `:${number.toString().trim()}`, stop: () => server.kill() };
}

export default async function setup({ provide }: { provide: (key: "display", value: string) => void }) {
  const { display, stop } = await startDisplay();
  provide("display", display);
  return stop;
}
