// After a store got its name or lost it: the names, the settings that hold them, and the list of keys are read again.
import { useProviders } from "../../../runs/inputs/providers";
import { useStores } from "../../../runs/session/stores";
import { useToolSetup } from "../tools/store";

export async function refreshStores(): Promise<void> {
  // The settings too: whoever saves them next saves all of them.
  await Promise.all([
    useStores.getState().load(),
    useProviders.getState().load(),
    useToolSetup.getState().load(),
  ]);
}
