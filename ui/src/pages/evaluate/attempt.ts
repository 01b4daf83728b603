// Helpers of the page's actions: a message, a refusal in words, a name for a file.
import { errorMessage } from "../../ipc/client";
import { type Toast, useSession } from "../../session/session";

export const toast = (message: Partial<Omit<Toast, "id">> & { title: string }): number =>
  useSession.getState().toast(message);

/** Runs an action and shows a message if it fails. */
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
