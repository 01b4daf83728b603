// Notices from Rust that belong to no request: how the program started, and which files it has set aside
// since then.
import { api } from "../ipc/client";
import { useSession } from "./session";

/** Shows the notices that have arrived since the last call. */
export async function tellNotices(): Promise<void> {
  for (const title of await api().notices()) useSession.getState().toast({ tone: "error", title });
}
