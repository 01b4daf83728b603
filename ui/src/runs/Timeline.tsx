// The dock's timeline and log stand with the inspector; this is where the dock looks for them.
export { RunLog, Timeline, TimelineControls } from "../inspector/timeline";
