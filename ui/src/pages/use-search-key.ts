// The key / focuses a page's search field, like the palette's on the canvas, except while a person types.
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
