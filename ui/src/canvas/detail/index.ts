// How the canvas is drawn when it is zoomed out or moving. This file is the module's interface: the rest of
// the window imports nothing else from the folder, and no other file knows its thresholds and zoom levels.
//
// - `useCanvasDetail` returns the canvas' classes, its background, its wires and xyflow's props.
// - `useIsBox` (for cards) and `useIsHullElement` (for hulls) return whether the overview bitmap shows them
//   instead.
// - `currentTransform`, `useCurrentTransform`, `onViewChange` and `visibleArea` give the position of the view
//   on the screen. xyflow's own state is older while the user moves the view.
// - `beginDeferredDrag`, `deferDrag` and `endDeferredDrag` move nodes ahead of xyflow. `isSelectionDeferred`
//   returns whether the selection box selects by itself, so that xyflow's selection is ignored.
// - `tellOf` estimates the card sizes of a large flow before the cards are seen, so that none is mounted only
//   to be measured.
//
// `docs/performance.md` lists the gain of each. The styles are in CanvasCard.module.css and Canvas.module.css.
export { currentTransform, onViewChange, useCurrentTransform, visibleArea } from "./current-view";
export { beginDeferredDrag, deferDrag, endDeferredDrag } from "./deferred-drag";
export { isSelectionDeferred } from "./deferred-selection";
export { type HullShape, useIsBox, useIsHullElement } from "./overview";
export { tellOf } from "./unseen";
export { useCanvasDetail } from "./use-canvas-detail";
