// The current problem for the keys F8 and Alt+Enter.
import { create } from "zustand";

export const useProblemCursor = create<{ index: number }>()(() => ({ index: -1 }));
