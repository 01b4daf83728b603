// The timeline of a loop's iterations, in the dock. `TimelineControls` stands in the dock's header.
export function TimelineControls() {
  return null;
}

export function Timeline() {
  return <div className="tl" />;
}

export function RunLog() {
  return <div className="plist2" />;
}
