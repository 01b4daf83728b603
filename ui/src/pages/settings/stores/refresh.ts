// After a shared store was added or removed, loads the names of the stores, the settings and the list of keys
// again.
import { useProviders } from "../../../runs/inputs/providers";
import { useStores } from "../../../runs/session/stores";
import { useToolSetup } from "../tools/store";

export async function refreshStores(): Promise<void> {
  // The settings are loaded too, because the next save writes all of them and would otherwise undo the
  // change.
  await Promise.all([
    useStores.getState().load(),
    useProviders.getState().load(),
    useToolSetup.getState().load(),
  ]);
}
