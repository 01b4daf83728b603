// Whether animations run. The setting is written to the root element, where the styles read it.
import { type Motion, useSession } from "./session";

function wear(motion: Motion): void {
  if (motion === "reduced") document.documentElement.dataset.motion = motion;
  else delete document.documentElement.dataset.motion;
}

/** Applies the setting, now and after each change, until the returned function is called. */
export function followMotion(): () => void {
  wear(useSession.getState().motion);
  return useSession.subscribe((s, before) => {
    if (s.motion !== before.motion) wear(s.motion);
  });
}
