// Scrolls to a requested field, such as the place of a problem, and opens the folds around it.
import { type RefObject, useEffect } from "react";
import panelStyles from "../../components/Panel.module.css";
import { useSession } from "../../session/session";

/**
 * Returns the element of a path such as `variables[0].next`, or of the nearest enclosing path that has an
 * element. Null if there is no such path.
 */
function elementAt(form: HTMLElement, place: string): HTMLElement | null {
  const fields = [...form.querySelectorAll<HTMLElement>("[data-field]")];
  for (let rest = place; rest !== ""; rest = rest.replace(/(?:^|\.|\[)[^.[]*$/, "")) {
    const found = fields.find((field) => field.dataset.field === rest);
    if (found) return found;
  }
  return null;
}

export function useFocusField(form: RefObject<HTMLElement | null>, nodeId: string): void {
  const focusField = useSession((s) => s.focusField);
  const wanted = focusField?.startsWith(`${nodeId}.`) ? focusField.slice(nodeId.length + 1) : null;
  useEffect(() => {
    if (wanted === null || form.current === null) return;
    // An empty place selects the first section after the label.
    const found =
      wanted === ""
        ? form.current.querySelector<HTMLElement>(`.${panelStyles.section}`)
        : elementAt(form.current, wanted);
    const fold = found?.closest("details");
    if (fold) fold.open = true;
    found?.scrollIntoView({ block: "nearest" });
    found?.querySelector<HTMLElement>("[contenteditable='true'], input, textarea, select, button")?.focus();
    useSession.getState().patch({ focusField: null });
  }, [wanted, form]);
}
