// Whether things move: what the settings say is put on the page's root, where the styles read it.
import { type Motion, useSession } from "./session";

function wear(motion: Motion): void {
  if (motion === "reduced") document.documentElement.dataset.motion = motion;
  else delete document.documentElement.dataset.motion;
}

/** From now on, until the function it returns is called. */
export function followMotion(): () => void {
  wear(useSession.getState().motion);
  return useSession.subscribe((s, before) => {
    if (s.motion !== before.motion) wear(s.motion);
  });
}
