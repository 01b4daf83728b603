// Unrequested notices from Rust: how the program started, and files set aside since.
import { api } from "../ipc/client";
import { useSession } from "./session";

/** Shows the notices since the last call. */
export async function tellNotices(): Promise<void> {
  for (const title of await api().notices()) useSession.getState().toast({ tone: "error", title });
}
