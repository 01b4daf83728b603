// What is drawn while the canvas is far away or moving. This file is the module's interface; nothing else of the window
// imports from the folder, and no other file knows a threshold, a zoom level or a way of drawing less.
//
// - `useCanvasDetail` gives the canvas its classes, its background, its wires and xyflow's props.
// - A card asks `useIsBox`, a hull `useIsHullElement`: whether the overview bitmap shows it instead.
// - `currentTransform`, `useCurrentTransform`, `onViewChange` and `visibleArea` say where the view is on the screen. xyflow's
//   own state is older while a hand moves the view.
// - `beginDeferredDrag`, `deferDrag` and `endDeferredDrag` move nodes ahead of xyflow; `isSelectionDeferred` says that a box
//   being drawn selects by itself, and that xyflow's selection is to be ignored.
// - `tellOf` says of a large flow about how large its cards are before they are seen, so that none is mounted to be measured.
//
// `docs/performance.md` lists what each of these gains. The styles are in `detail.css`.
export { currentTransform, onViewChange, useCurrentTransform, visibleArea } from "./current-view";
export { beginDeferredDrag, deferDrag, endDeferredDrag } from "./deferred-drag";
export { isSelectionDeferred } from "./deferred-selection";
export { type HullShape, useIsBox, useIsHullElement } from "./overview";
export { tellOf } from "./unseen";
export { useCanvasDetail } from "./use-canvas-detail";
