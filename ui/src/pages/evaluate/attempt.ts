// What the actions of the page share: a message, a refusal in words, a name for a file.
import { errorMessage } from "../../ipc/client";
import { type Toast, useSession } from "../../session/session";

export const toast = (message: Partial<Omit<Toast, "id">> & { title: string }): number =>
  useSession.getState().toast(message);

/** Does something that may be refused, and says so if it is. */
export async function attempt<T>(refused: string, act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    toast({ tone: "error", title: refused, detail: errorMessage(error) });
    return undefined;
  }
}

/** A name as a part of a file's name: "refine-quality". */
export const stemOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "") || "evaluation";
