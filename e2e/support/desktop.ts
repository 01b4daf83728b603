// A stand-in for the desktop: a private bus with the services that keep the computer awake, show notifications
// and have a tray.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { builtProgram } from "./window";

export interface Desktop {
  /** The variables for `openWindow` with which the program finds the bus. */
  env: Record<string, string>;
  /** The requests that the services received, in order. */
  log: string[];
  /** Resolves with the first line of the log that contains `part`. */
  asked: (part: string) => Promise<string>;
  /** Clicks on a notification. */
  click: (notification: number) => void;
  /** Clicks on the newest icon in the tray, or on an entry of its menu. */
  clickTray: (entry?: string) => void;
  stop: () => void;
}

export async function startDesktop(): Promise<Desktop> {
  const program = spawn(builtProgram("examples/mock_desktop"), [], { stdio: ["pipe", "pipe", "inherit"] });
  const log: string[] = [];
  const lines = createInterface({ input: program.stdout });
  const address = await new Promise<string>((resolve, reject) => {
    program.once("exit", (code) =>
      reject(new Error(`the stand-in for the desktop ended with status ${code}`)),
    );
    lines.once("line", resolve);
  });
  lines.on("line", (line) => log.push(line));
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: address, DBUS_SYSTEM_BUS_ADDRESS: address },
    log,
    asked: async (part) => {
      const deadline = Date.now() + 30_000;
      for (;;) {
        const found = log.find((line) => line.includes(part));
        if (found !== undefined) return found;
        if (Date.now() > deadline) throw new Error(`the desktop is not asked for ${part}: ${log.join("; ")}`);
        await sleep(20);
      }
    },
    click: (notification) => program.stdin.write(`${notification}\n`),
    clickTray: (entry = "") => program.stdin.write(`tray ${entry}\n`),
    // The end of its input ends the program and its bus.
    stop: () => program.stdin.end(),
  };
}
