// Notices that Rust has for the person without a request: how the program started, and which files it set
// aside since then.
import { api } from "../ipc/client";
import { useSession } from "./session";

/** Shows the notices that arrived since the last call. */
export async function tellNotices(): Promise<void> {
  for (const title of await api().notices()) useSession.getState().toast({ tone: "error", title });
}
