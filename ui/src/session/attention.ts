// What Rust reports about unattended runs: whether the computer is kept awake, whether the desktop shows
// notifications, and which run's notification the user clicked.
import { create } from "zustand";
import { api } from "../ipc/client";
import type { AttentionMessage } from "../ipc/generated/bindings";

type State = Omit<Extract<AttentionMessage, { type: "state" }>, "type">;

export const useAttention = create<State>()(() => ({
  active: 0,
  awake: false,
  awake_trouble: null,
  notification_trouble: null,
}));

/**
 * Follows the reports of Rust until the window closes. If the user clicks a notification, calls `show` with
 * its run and with the path of its step, or null for the whole run.
 */
export async function followAttention(show: (runId: string, step: string | null) => void): Promise<void> {
  await api().watchAttention((message: AttentionMessage) => {
    const { type, ...content } = message;
    if (type === "state") useAttention.setState(content as State);
    else if (message.type === "show") show(message.run_id, message.step);
  });
}
