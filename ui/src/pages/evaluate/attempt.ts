// Helpers of the page's actions: running an action with an error message, and names for files.
import { errorMessage } from "../../ipc/client";
import { type Toast, useSession } from "../../session/session";

export const toast = (message: Partial<Omit<Toast, "id">> & { title: string }): number =>
  useSession.getState().toast(message);

/** Runs an action. If it fails, shows a message with the title `refused`, and resolves to undefined. */
export async function attempt<T>(refused: string, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    toast({ tone: "error", title: refused, detail: errorMessage(error) });
    return undefined;
  }
}

/** Returns a name in the form used in file names: "refine-quality". */
export const stemOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "") || "evaluation";
