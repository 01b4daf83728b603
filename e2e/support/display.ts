// A virtual display for the whole test run, so that no window opens over the user's work.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

declare module "vitest" {
  interface ProvidedContext {
    display: string;
    /** The file to which the display writes its content. */
    screen: string;
  }
}

/**
 * Starts Xvfb on a free display number. Returns the display, the file with its pixels and a function that
 * ends it. `size` is in pixels.
 */
export async function startDisplay(
  size = "1440x900",
): Promise<{ display: string; screen: string; stop: () => void }> {
  const folder = mkdtempSync(path.join(tmpdir(), "loopwright-display-"));
  const server = spawn(
    "Xvfb",
    ["-displayfd", "3", "-screen", "0", `${size}x24`, "-fbdir", folder, "-nocursor", "-nolisten", "tcp"],
    { stdio: ["ignore", "ignore", "ignore", "pipe"] },
  );
  const numbers = server.stdio[3];
  if (!numbers) throw new Error("Xvfb was started without the pipe that tells its display");
  const failed = once(server, "exit").then(() => {
    throw new Error("Xvfb ended before it had a display; is the package xvfb installed?");
  });
  failed.catch(() => undefined);
  const [number] = (await Promise.race([once(numbers, "data"), failed])) as [Buffer];
  return {
    display: `:${number.toString().trim()}`,
    screen: path.join(folder, "Xvfb_screen0"),
    stop: () => {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export default async function setup({
  provide,
}: {
  provide: (key: "display" | "screen", value: string) => void;
}) {
  const { display, screen, stop } = await startDisplay();
  provide("display", display);
  provide("screen", screen);
  return stop;
}
