// How strongly texts and edges stand out: what the settings say is put on the page's root, where the styles read it. A web view that
// does not know what the system asks for has it from there.
import { type Contrast, useSession } from "./session";

function wear(contrast: Contrast): void {
  if (contrast === "more") document.documentElement.dataset.contrast = contrast;
  else delete document.documentElement.dataset.contrast;
}

/** From now on, until the function it returns is called. */
export function followContrast(): () => void {
  wear(useSession.getState().contrast);
  return useSession.subscribe((s, before) => {
    if (s.contrast !== before.contrast) wear(s.contrast);
  });
}
