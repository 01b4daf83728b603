// Stops the run: running calls are cancelled, finished iterations are kept.
import { errorMessage } from "../ipc/client";
import { stopRun } from "../runs";
import { isUnfinished, shownRun, useRuns } from "../runs/session/store";
import { useSession } from "../session/session";
import type { Command } from "./command";

export const stopCommand: Command = {
  id: "run.stop",
  label: "Stop",
  icon: "square",
  keys: ["mod+."],
  scope: "window",
  possible: () => isUnfinished(shownRun(useRuns.getState())),
  run: async () => {
    try {
      await stopRun();
    } catch (error) {
      useSession
        .getState()
        .toast({ tone: "error", title: "The run could not be stopped", detail: errorMessage(error) });
    }
  },
};
