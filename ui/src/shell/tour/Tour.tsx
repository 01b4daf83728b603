// A step of the tour: a ring around the element it explains, and a card next to it. The window can still be
// used. Escape ends the tour.

import { useEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { canvasView } from "../../session/canvas-view";
import { useSession } from "../../session/session";
import styles from "./Tour.module.css";
import { endTour, moveBy, startTour, TOUR, useTour } from "./tour";

const CARD = { width: 320, height: 190 };
const GAP = 14;

/**
 * Returns the position of the element that the step explains; null if the element is not on the page. The
 * position follows changes of the window.
 */
function useRect(step: number | null): DOMRect | null {
  const [rect, setRect] = useState<DOMRect | null>(null);
  useEffect(() => {
    if (step === null) return;
    const look = () => {
      const now = TOUR[step]?.anchor()?.getBoundingClientRect() ?? null;
      setRect((was) =>
        was &&
        now &&
        was.x === now.x &&
        was.y === now.y &&
        was.width === now.width &&
        was.height === now.height
          ? was
          : now,
      );
    };
    look();
    // The element may appear a moment later, and it moves with the canvas.
    const timer = setInterval(look, 150);
    return () => clearInterval(timer);
  }, [step]);
  return step === null ? null : rect;
}

/**
 * Returns a position for the card: next to the element if there is space, otherwise over its corner, and
 * always within the window.
 */
function placeOfCard(rect: DOMRect | null): { left: number; top: number } {
  const { innerWidth: width, innerHeight: height } = window;
  const middle = { left: (width - CARD.width) / 2, top: (height - CARD.height) / 2 };
  if (!rect) return middle;
  const left =
    rect.right + GAP + CARD.width < width
      ? rect.right + GAP
      : rect.left - GAP - CARD.width > 0
        ? rect.left - GAP - CARD.width
        : Math.min(rect.left, width - CARD.width - GAP);
  const beside = left > rect.right || left + CARD.width < rect.left;
  const top = beside
    ? rect.top
    : rect.bottom + GAP + CARD.height < height
      ? rect.bottom + GAP
      : rect.top - GAP - CARD.height;
  const within = (value: number, size: number, room: number) =>
    Math.max(GAP, Math.min(value, room - size - GAP));
  return { left: within(left, CARD.width, width), top: within(top, CARD.height, height) };
}

/**
 * Returns what a key pressed in the card does; null if nothing. Enter is ignored if a button has the focus,
 * because it presses that button.
 */
function keyAction({ key, target }: React.KeyboardEvent): (() => unknown) | null {
  if (key === "Escape") return endTour;
  if (key === "ArrowRight") return () => moveBy(1);
  if (key === "ArrowLeft") return () => moveBy(-1);
  return key === "Enter" && !(target instanceof HTMLButtonElement) ? () => moveBy(1) : null;
}

export function Tour() {
  const step = useTour((s) => s.step);
  const view = useSession((s) => s.view);
  const rect = useRect(step);
  const title = useRef<HTMLHeadingElement>(null);
  // The heading is focused, so that a screen reader reads each step and Tab leads to its buttons.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per step.
  useEffect(() => title.current?.focus({ preventScroll: true }), [step]);
  const wasOn = useRef(false);
  useEffect(() => {
    // When the card closes, the focused element disappears with it, so the canvas is focused.
    if (wasOn.current && step === null && view === "editor") canvasView()?.focus(null);
    wasOn.current = step !== null;
  }, [step, view]);
  const now = step === null ? undefined : TOUR[step];
  if (step === null || !now || view !== "editor") return null;
  const last = step === TOUR.length - 1;
  return (
    <>
      {rect && (
        <div
          className={styles.tourRing}
          aria-hidden="true"
          data-testid="tour-ring"
          style={{ left: rect.x - 5, top: rect.y - 5, width: rect.width + 10, height: rect.height + 10 }}
        />
      )}
      <section
        className={styles.tourCard}
        aria-label={`Tour, step ${step + 1} of ${TOUR.length}`}
        data-testid="tour"
        style={{ ...placeOfCard(rect), width: CARD.width }}
        onKeyDown={(event) => {
          const run = keyAction(event);
          if (!run) return;
          event.preventDefault();
          event.stopPropagation();
          run();
        }}
      >
        <h2 ref={title} tabIndex={-1}>
          {now.title}
        </h2>
        <p>{typeof now.text === "string" ? now.text : now.text()}</p>
        <div className="row">
          <span className={classes(styles.step, "text-tertiary")}>
            {step + 1} of {TOUR.length}
          </span>
          <span className="grow" />
          {!last && (
            <Button small variant="ghost" onClick={endTour}>
              Skip the tour
            </Button>
          )}
          {step > 0 && (
            <Button small onClick={() => void moveBy(-1)}>
              Back
            </Button>
          )}
          <Button small variant="primary" onClick={() => void moveBy(1)}>
            {last ? "Done" : (now.next?.label ?? "Next")}
          </Button>
        </div>
      </section>
    </>
  );
}

/** Offers the tour on the start page until the user accepts or declines it. */
export function TourOffer() {
  const seen = useTour((s) => s.seen);
  if (seen) return null;
  return (
    <section className={styles.tourOffer} aria-label="Tour" data-testid="tour-offer">
      <b>New here?</b>
      <p>See one loop run, step by step. It takes a minute.</p>
      <div className={classes(styles.choices, "row")}>
        <Button small variant="primary" onClick={() => void startTour()}>
          Take the tour
        </Button>
        <Button small onClick={endTour}>
          No, thanks
        </Button>
      </div>
    </section>
  );
}
