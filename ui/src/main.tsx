// Entry point: styles, the double outside the shell, the first data, the root.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { followDocument } from "./document/analysis";
import { useKinds } from "./document/kinds";
import { insideShell, replaceBackend } from "./ipc/client";
import { App } from "./shell/App";
import "./styles/index.css";

async function start() {
  if (import.meta.env.DEV && !insideShell()) {
    const { testBackend } = await import("./ipc/testing");
    replaceBackend(testBackend());
  }
  await useKinds.getState().load();
  followDocument();
  const root = document.getElementById("root");
  if (!root) throw new Error("index.html has no element with the id root");
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

void start();
