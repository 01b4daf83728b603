// The dock's timeline and log.
export { RunLog } from "./RunLog";
export { Timeline } from "./Timeline";
export { TimelineControls } from "./TimelineControls";
