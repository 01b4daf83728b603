// Reads the names, the settings and the list of keys again after a store was named or removed.
import { useProviders } from "../../../runs/inputs/providers";
import { useStores } from "../../../runs/session/stores";
import { useToolSetup } from "../tools/store";

export async function refreshStores(): Promise<void> {
  // The settings are read too, because the next save writes all of them.
  await Promise.all([
    useStores.getState().load(),
    useProviders.getState().load(),
    useToolSetup.getState().load(),
  ]);
}
