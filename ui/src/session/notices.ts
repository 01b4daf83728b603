// What the Rust side has to say to the person without being asked: how the program started, and what was set aside since.
import { api } from "../ipc/client";
import { useSession } from "./session";

/** Shows what has come up since it was last asked. */
export async function tellNotices(): Promise<void> {
  for (const title of await api().notices()) useSession.getState().toast({ tone: "error", title });
}
