// Start a run. Blocked by errors it opens the problems instead: the button stays, and says what to do.
import { analyzeNow } from "../document/analysis";
import { useDocument } from "../document/document";
import { errorMessage } from "../ipc/client";
import { startRun } from "../runs";
import { isRunning, useRuns } from "../runs/store";
import { useSession } from "../session/session";
import type { Command } from "./command";

export const runCommand: Command = {
  id: "run.start",
  label: "Run",
  icon: "play",
  keys: ["mod+enter"],
  scope: "window",
  possible: () =>
    useSession.getState().view === "editor" &&
    !isRunning(useRuns.getState().live) &&
    useRuns.getState().past === null,
  run: async () => {
    const session = useSession.getState();
    if (isRunning(useRuns.getState().live)) return;
    // What is run is the document in hand, not the past run that may lie in front of it.
    useRuns.getState().closePast();
    try {
      const analysis = await analyzeNow();
      if (!analysis.runnable) {
        session.openDock("problems");
        return;
      }
      const { document, path } = useDocument.getState();
      const layout = session.layout;
      session.setLayout("run");
      try {
        await startRun(document, path, {});
      } catch (error) {
        session.setLayout(layout);
        throw error;
      }
    } catch (error) {
      session.toast({ tone: "error", title: "The run did not start", detail: errorMessage(error) });
    }
  },
};
