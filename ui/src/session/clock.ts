// The clocks of everything that runs. They tick one after the other, those of each part of the window in a frame of their own.
import { useSyncExternalStore } from "react";
import { inOwnFrames } from "./frame-turn";

/** In milliseconds: the tenth of a second that is shown moves on visibly, and no more. */
const TICK_MS = 200;

export type ClockPlace = "top bar" | "canvas" | "timeline" | "panel";

class Clock {
  private readonly listeners = new Set<() => void>();
  private now = 0;
  private stop: (() => void) | null = null;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.stop ??= this.start();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.stop?.();
      this.stop = null;
    };
  };

  /** While nothing ticks, the step of time it is. */
  readonly shown = (): number => (this.stop === null ? Math.floor(Date.now() / TICK_MS) * TICK_MS : this.now);

  private start(): () => void {
    this.now = Date.now();
    return inOwnFrames(TICK_MS, () => {
      this.now = Date.now();
      for (const listener of this.listeners) listener();
    });
  }
}

const clocks: Readonly<Record<ClockPlace, Clock>> = {
  "top bar": new Clock(),
  canvas: new Clock(),
  timeline: new Clock(),
  panel: new Clock(),
};

const never = () => () => {};

/** The time in milliseconds since 1970; it moves on while `active`. */
export function useNow(place: ClockPlace, active: boolean): number {
  const clock = clocks[place];
  return useSyncExternalStore(active ? clock.subscribe : never, clock.shown);
}
