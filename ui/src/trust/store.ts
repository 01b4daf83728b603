// What the flow in hand would use of the world, while the person is asked about it: one question at a time, as a promise.
import { create } from "zustand";
import { ApiFailure, api } from "../ipc/client";
import type { FlowDoc, McpStanding, Preparation, TrustList } from "../ipc/generated/bindings";
import { tellNotices } from "../session/notices";

/** What the person answers: nothing may be used, or what was new and these that a run was refused before. */
export type Verdict = { allow: false } | { allow: true; wanted: string[] };

/** What waits for the answer: a run that begins, one that is resumed, or a server that is started to list its tools. */
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

/** Where the answer about a list goes. */
interface Verdicts {
  approve(items: string[]): Promise<unknown>;
  refuse(): Promise<unknown>;
}

/**
 * Whether the flow may run: at once where everything that it would use is approved, else as the person answers. A refusal is
 * written down.
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

/** As `confirmTrust`, for a run that was prepared. */
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
  // Why something is asked about again, where the approvals could not be read.
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

/** The person does not allow what a run would use. */
export class NotAllowed extends Error {
  constructor() {
    super("You did not allow what the flow would use. Everything is as it was.");
    this.name = "NotAllowed";
  }
}

/**
 * Does something that lets a recorded run continue. Where the run would use what is not approved, or not any more, the person is
 * asked, and it is done once it is allowed. What was allowed for the run alone is not asked about again.
 *
 * Rejects with `NotAllowed` where the person refuses, and else as `act` does.
 */
export async function withTrust<T>(
  flow: { document: FlowDoc; flowPath: string | null },
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== "not_approved") throw error;
  }
  if (!(await confirmTrust(flow.document, flow.flowPath, "resume"))) throw new NotAllowed();
  return act();
}

/** Whether a server of the settings may be started to list its tools: once for exactly this command. */
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
