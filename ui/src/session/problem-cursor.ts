// Which problem the keys F8 and Alt+Enter are about.
import { create } from "zustand";

export const useProblemCursor = create<{ index: number }>()(() => ({ index: -1 }));
