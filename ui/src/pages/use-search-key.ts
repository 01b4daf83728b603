// Makes the / key focus a page's search field, as it does for the palette on the canvas, unless the user is
// typing.
import { useEffect } from "react";

export function useSearchKey(fieldId: string): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      const typing = target instanceof HTMLElement && target.closest("input, textarea, select, dialog");
      if (event.key !== "/" || event.defaultPrevented || typing) return;
      event.preventDefault();
      document.getElementById(fieldId)?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [fieldId]);
}
