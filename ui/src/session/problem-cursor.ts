// The problem at which F8 continues and to which Alt+Enter applies.
import { create } from "zustand";

export const useProblemCursor = create<{ index: number }>()(() => ({ index: -1 }));
