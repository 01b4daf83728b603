// The clocks of running elements. Each part of the window ticks in its own frame, one after the other.
import { useSyncExternalStore } from "react";
import { inOwnFrames } from "./frame-turn";

/** The tick interval in milliseconds, short enough that the displayed tenth of a second visibly changes. */
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

  /**
   * Returns the time of the last tick. If the clock is stopped, returns the current time rounded down to a
   * whole tick.
   */
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

/**
 * Returns the time in milliseconds since the Unix epoch. The component re-renders at each tick while
 * `active`.
 */
export function useNow(place: ClockPlace, active: boolean): number {
  const clock = clocks[place];
  return useSyncExternalStore(active ? clock.subscribe : never, clock.shown);
}
