// The controls around a selected note: colours above, and a resize handle at the lower right corner for the
// pointer and the arrow keys.

import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { setNoteColour } from "../commands/note";
import { classes } from "../components/classes";
import { tip } from "../components/tip";
import { useDocument } from "../document/document";
import { GROUP_COLOURS, type GroupColour } from "../document/groups";
import { type NoteSize, noteSize, resizeNote } from "../document/notes";
import { GRID } from "../kernels/geometry";
import { canvasView } from "../session/canvas-view";
import { beginGesture, cancelGesture, endGesture } from "../session/gesture";
import styles from "./NoteTools.module.css";

const snapped = (value: number): number => Math.round(value / GRID) * GRID;

const setSize = (id: string, size: NoteSize, mark?: string): void =>
  useDocument
    .getState()
    .edit(resizeNote(id, noteSize(size)), { label: "Resize note", ...(mark ? { mark } : {}) });

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

function Resize({ id }: { id: string }) {
  const from = useRef<{ x: number; y: number; size: NoteSize; card: HTMLElement } | null>(null);
  const cardOf = (element: HTMLElement) => element.closest<HTMLElement>("article");
  /**
   * Returns the size that the note has with its corner at the pointer; null if the corner is not being
   * dragged. During the drag, only the card changes. The document changes when the pointer is released.
   */
  const sizeAt = (event: PointerEvent): NoteSize | null => {
    if (from.current === null) return null;
    const { x, y, size } = from.current;
    const zoom = canvasView()?.zoom() ?? 1;
    return noteSize({
      width: snapped(size.width + (event.clientX - x) / zoom),
      height: snapped(size.height + (event.clientY - y) / zoom),
    });
  };
  const show = (size: NoteSize | null) => {
    const style = from.current?.card.style;
    if (!style || size === null) return;
    style.width = `${size.width}px`;
    style.height = `${size.height}px`;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const by = ARROWS[event.key];
    const card = cardOf(event.currentTarget);
    if (!by || !card) return;
    event.preventDefault();
    event.stopPropagation();
    const { offsetWidth, offsetHeight } = card;
    setSize(id, { width: offsetWidth + by[0] * GRID, height: offsetHeight + by[1] * GRID }, `size:${id}`);
  };
  return (
    <button
      type="button"
      className={classes(styles.resize, "nodrag nopan")}
      aria-label="Resize the note with the arrow keys"
      {...tip("Drag to resize")}
      onPointerDown={(event) => {
        const card = cardOf(event.currentTarget);
        if (event.button !== 0 || !card) return;
        event.stopPropagation();
        event.currentTarget.setPointerCapture?.(event.pointerId);
        const size = { width: card.offsetWidth, height: card.offsetHeight };
        const before = { width: card.style.width, height: card.style.height };
        from.current = { x: event.clientX, y: event.clientY, size, card };
        beginGesture(() => {
          Object.assign(card.style, before);
          from.current = null;
        });
      }}
      onPointerMove={(event) => show(sizeAt(event))}
      onPointerUp={(event) => {
        const size = sizeAt(event);
        const moved =
          from.current !== null && (event.clientX !== from.current.x || event.clientY !== from.current.y);
        from.current = null;
        endGesture();
        if (size !== null && moved) setSize(id, size);
      }}
      onPointerCancel={cancelGesture}
      onKeyDown={onKeyDown}
    />
  );
}

export function NoteTools({ id, colour }: { id: string; colour: GroupColour }) {
  return (
    <>
      <div className={classes(styles.colours, "nodrag nopan")} role="radiogroup" aria-label="Note color">
        {GROUP_COLOURS.map((name) => (
          // biome-ignore lint/a11y/useSemanticElements: swatches, not the browser's own buttons.
          <button
            key={name}
            type="button"
            role="radio"
            aria-checked={name === colour}
            aria-label={name}
            className={classes(styles.swatch, `group-${name}`)}
            {...tip(name)}
            onClick={() => setNoteColour([id], name)}
          />
        ))}
      </div>
      <Resize id={id} />
    </>
  );
}
