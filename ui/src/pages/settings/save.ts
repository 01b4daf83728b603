// Saves a change to the settings immediately. If the change is refused, reports the reason and reverts it.
import { errorMessage } from "../../ipc/client";
import type { Settings } from "../../ipc/generated/bindings";
import { useProviders } from "../../runs/inputs/providers";
import { useSession } from "../../session/session";

export async function saveSettings(change: Partial<Settings>): Promise<void> {
  try {
    await useProviders.getState().save(change);
  } catch (error) {
    useSession.getState().toast({
      tone: "error",
      title: "The setting was not saved.",
      detail: `The previous setting still applies. ${errorMessage(error)}`,
    });
  }
}
