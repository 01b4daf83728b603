// What the flow in hand would use of the world, while the person is asked about it: one question at a time, as a promise.
import { create } from "zustand";
import { api } from "../ipc/client";
import type { FlowDoc, TrustList } from "../ipc/generated/bindings";

/** What the person answers: nothing may be used, or what was new and these that a run was refused before. */
export type Verdict = { allow: false } | { allow: true; wanted: string[] };

interface TrustState {
  open: { name: string; list: TrustList; answer: (verdict: Verdict) => void } | null;
}

export const useTrust = create<TrustState>()(() => ({ open: null }));

function ask(name: string, list: TrustList): Promise<Verdict> {
  useTrust.getState().open?.answer({ allow: false });
  return new Promise((resolve) => {
    useTrust.setState({
      open: {
        name,
        list,
        answer: (verdict) => {
          useTrust.setState({ open: null });
          resolve(verdict);
        },
      },
    });
  });
}

/**
 * Whether the flow may run: at once where everything that it would use is approved, else as the person answers. A refusal is
 * written down.
 */
export async function mayReach(document: FlowDoc, path: string | null): Promise<boolean> {
  const list = await api().grants(document, path);
  const wants = list.needs.some((need) => need.state === "wanted");
  if (list.missing === 0 && !wants) return true;
  const verdict = await ask(document.name ?? "This flow", list);
  if (!verdict.allow) {
    if (list.missing > 0) await api().refuseGrants(document, path);
    return false;
  }
  const items = list.needs.filter((need) => need.state === "new").map((need) => need.item);
  items.push(...verdict.wanted);
  if (items.length > 0) await api().approveGrants(document, path, list.digest, items);
  return true;
}
