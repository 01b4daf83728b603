// The pending question about the permissions of the open flow: one at a time, as a promise.
import { create } from "zustand";
import { ApiFailure, api } from "../ipc/client";
import type { FlowDoc, McpStanding, Preparation, TrustList } from "../ipc/generated/bindings";
import { tellNotices } from "../session/notices";

/**
 * The user's answer. Either nothing is allowed, or all new items are, and of the previously refused items
 * those in `wanted`.
 */
export type Verdict = { allow: false } | { allow: true; wanted: string[] };

/** Why the user is asked: a run starts, a run resumes, or a server is started to list its tools. */
export type Purpose = "run" | "resume" | "look";

interface TrustState {
  open: { name: string; list: TrustList; purpose: Purpose; answer: (verdict: Verdict) => void } | null;
}

export const useTrust = create<TrustState>()(() => ({ open: null }));

function askForTrust(name: string, list: TrustList, purpose: Purpose): Promise<Verdict> {
  useTrust.getState().open?.answer({ allow: false });
  return new Promise((resolve) => {
    useTrust.setState({
      open: {
        name,
        list,
        purpose,
        answer: (verdict) => {
          useTrust.setState({ open: null });
          resolve(verdict);
        },
      },
    });
  });
}

/** The functions that record the user's answer to a list of needs. */
interface Verdicts {
  approve(items: string[]): Promise<unknown>;
  refuse(): Promise<unknown>;
}

/**
 * Returns whether the flow may run. If a permission that it needs is not granted, asks the user. A refusal is
 * recorded.
 */
export async function confirmTrust(
  document: FlowDoc,
  path: string | null,
  purpose: Purpose = "run",
): Promise<boolean> {
  const list = await api().grants(document, path);
  return confirmNeeds(document.name, list, purpose, {
    approve: (items) => api().approveGrants(document, path, list.digest, items),
    refuse: () => api().refuseGrants(document, path),
  });
}

/** Returns whether a prepared run may start. Asks the user and records the answer as `confirmTrust` does. */
export async function confirmPrepared({
  id,
  document,
  needs,
}: Pick<Preparation, "id" | "needs"> & { readonly document: FlowDoc }): Promise<boolean> {
  if (needs === null) return false;
  return confirmNeeds(document.name, needs, "run", {
    approve: (items) => api().approvePrepared(id, needs.digest, items),
    refuse: () => api().refusePrepared(id),
  });
}

async function confirmNeeds(
  name: string | undefined,
  list: TrustList,
  purpose: Purpose,
  verdicts: Verdicts,
): Promise<boolean> {
  // If the approvals could not be read, a notice explains why the question appears again.
  await tellNotices();
  const wants = list.needs.some((need) => need.state === "wanted");
  if (list.missing === 0 && !wants) return true;
  const verdict = await askForTrust(name ?? "This flow", list, purpose);
  if (!verdict.allow) {
    if (list.missing > 0) await verdicts.refuse();
    return false;
  }
  const items = list.needs.filter((need) => need.state === "new").map((need) => need.item);
  items.push(...verdict.wanted);
  if (items.length > 0) await verdicts.approve(items);
  return true;
}

/** The error for a run whose permissions the user refused. */
export class NotAllowed extends Error {
  constructor() {
    super("You did not allow what the flow would use. Nothing was changed.");
    this.name = "NotAllowed";
  }
}

/**
 * Runs an action that continues a recorded run. If the run needs a permission that was never granted or was
 * withdrawn, asks the user and then runs the action again. A permission that was granted only for this run is
 * not asked for again. `readFlow` returns the flow of the run; it is called only if a permission is missing.
 *
 * Rejects with `NotAllowed` if the user refuses, and otherwise with the error of `act`.
 */
export async function withTrust<T>(
  readFlow: () => Promise<{ document: FlowDoc; flowPath: string | null }>,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== "not_approved") throw error;
  }
  const { document, flowPath } = await readFlow();
  if (!(await confirmTrust(document, flowPath, "resume"))) throw new NotAllowed();
  return act();
}

/**
 * Returns whether a server in the settings may be started to list its tools. Asks the user if this exact
 * command is not approved yet.
 */
export async function confirmServerStart(server: McpStanding): Promise<boolean> {
  if (server.approved) return true;
  const { item, shown } = server;
  const what = item.slice(item.indexOf(":") + 1);
  const needs = [{ item, kind: "server" as const, what, detail: shown, nodes: [], state: "new" as const }];
  const verdict = await askForTrust(
    server.server,
    { flow: "settings", digest: "", needs, missing: 1 },
    "look",
  );
  return verdict.allow;
}
