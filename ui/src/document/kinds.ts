// The node kinds as the Rust side registers them: palette, cards and forms are drawn from these.
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

/** Undefined for a kind that this program does not know; its card is a placeholder. */
export function useKind(type: string): KindInfo | undefined {
  return useKinds((s) => s.byType.get(type));
}

/** Whether it opens a loop, or closes one: both have the violet that nothing else may use. */
export const isLoopFamily = (kind: KindInfo): boolean => isOfLoop(kind, useKinds.getState().byType);

/** Whether a value can be given in place of what a node of this kind gives: a note gives none, and an iterator its items in turn. */
export const isGivable = (kind: KindInfo | undefined): boolean =>
  kind?.shape !== "annotation" && kind?.repeats !== "each";

/** Whether a wire may join the two handles, by the table the Rust side sent. */
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
