// The entry point of the window: loads the styles and the first data, replaces the backend with a double
// outside the app, and renders the page. This import comes first, because its layers must be declared before
// any other rule.
import "./styles/index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followWires } from "./canvas/stop-at-exit";
import { followDocument } from "./document/analysis";
import { useKinds } from "./document/kinds";
import { errorMessage, insideShell, isDrawnInSoftware, replaceBackend } from "./ipc/client";
import styles from "./main.module.css";
import { offerBackground, offerInterrupted } from "./pages/history/offer";
import { showRunAt } from "./pages/history/show-run";
import { useHistory } from "./pages/history/store";
import { followAttention } from "./session/attention";
import { followContrast } from "./session/contrast";
import { watchPresses } from "./session/last-press";
import { followMotion } from "./session/motion";
import { tellNotices } from "./session/notices";
import { moveInSteps } from "./session/stepped-motion";
import { App } from "./shell/App";
import { keepDrafts, restoreSession } from "./tabs/drafts";
import { keepView, restoreView, viewBefore } from "./tabs/kept-view";
import { watchFiles } from "./tabs/outside";

/** The delay, in milliseconds, after which work that is not urgent starts. */
const AFTER_START_MS = 500;

/** The interval between checks for new notices, in milliseconds. */
const NOTICES_MS = 15_000;

async function start() {
  if (import.meta.env.DEV && !insideShell()) {
    const { testBackend } = await import("./ipc/testing");
    replaceBackend(testBackend());
  }
  document.documentElement.classList.toggle("software", isDrawnInSoftware());
  if (isDrawnInSoftware()) moveInSteps(document);
  await useKinds.getState().load();
  followDocument();
  followWires();
  followMotion();
  followContrast();
  watchPresses(window);
  const before = await viewBefore();
  if (before === null) await restoreSession();
  else await restoreView(before);
  keepDrafts();
  keepView();
  watchFiles();
  const root = document.getElementById("root");
  if (!root) throw new Error("index.html has no element with the id root");
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
  await followAttention((runId, step) => void showRunAt(runId, step));
  await tellNotices();
  setInterval(() => void tellNotices().catch(() => undefined), NOTICES_MS);
  // If the page was reloaded after a crash, the previous page has already offered the interrupted runs.
  if (before === null) {
    await offerInterrupted();
    await offerBackground();
  }
  // After the start page is shown, the history is read and rendered before anyone opens it.
  setTimeout(() => void useHistory.getState().reload(), AFTER_START_MS);
}

start().catch((error: unknown) => {
  // Nothing is mounted yet that could show the error.
  const root = document.getElementById("root") ?? document.body;
  root.setAttribute("role", "alert");
  root.className = styles.startFailed ?? "";
  root.textContent = `Loopwright could not start: ${errorMessage(error)}`;
});
