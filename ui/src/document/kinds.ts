// The node kinds registered in Rust. The palette, cards and forms are built from these.
import { create } from "zustand";
import { api } from "../ipc/client";
import type { HandleInfo, KindInfo, PresetInfo, ValueType } from "../ipc/generated/bindings";
import { isOfLoop } from "../kernels/loop-kind";

interface KindsState {
  kinds: KindInfo[];
  presets: PresetInfo[];
  byType: ReadonlyMap<string, KindInfo>;
  convertible: readonly (readonly [ValueType, ValueType])[];
  load(): Promise<void>;
}

export const useKinds = create<KindsState>()((set) => ({
  kinds: [],
  presets: [],
  byType: new Map(),
  convertible: [],
  load: async () => {
    const { kinds, presets, convertible } = await api().kinds();
    set({ kinds, presets, convertible, byType: new Map(kinds.map((kind) => [kind.type, kind])) });
  },
}));

/** Returns a kind; undefined if it is unknown. The card of an unknown kind is a placeholder. */
export function useKind(type: string): KindInfo | undefined {
  return useKinds((s) => s.byType.get(type));
}

/**
 * Returns whether the kind opens or closes a loop. The cards of these kinds use a violet that is reserved for
 * them.
 */
export const isLoopFamily = (kind: KindInfo): boolean => isOfLoop(kind, useKinds.getState().byType);

/**
 * Returns whether the result of a node of this kind can be replaced by a value. Notes have no result, and
 * iterators produce a sequence of items instead of one value.
 */
export const isGivable = (kind: KindInfo | undefined): boolean =>
  kind?.shape !== "annotation" && kind?.repeats !== "each";

/** Returns whether a wire may join the two handles, according to the engine's table of convertible types. */
export function canConnect(
  convertible: readonly (readonly [ValueType, ValueType])[],
  from: Pick<HandleInfo, "valueType">,
  to: Pick<HandleInfo, "valueType">,
): boolean {
  return (
    from.valueType === to.valueType ||
    convertible.some(([a, b]) => a === from.valueType && b === to.valueType)
  );
}
