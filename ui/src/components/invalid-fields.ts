// Tracks fields with invalid text. A field keeps its last valid value while its text is invalid, so code that
// sends the values must know about such fields.
import { createContext, useCallback, useContext, useId, useLayoutEffect, useState } from "react";

type Report = (field: string, title: string | null) => void;

/** The function that fields call to report invalid text to the surrounding form; null outside such a form. */
export const InvalidFields = createContext<Report | null>(null);

/**
 * Returns the titles of the invalid fields below this component, and the value to pass to `InvalidFields`.
 */
export function useInvalidFields(): readonly [titles: readonly string[], report: Report] {
  const [byField, setByField] = useState<ReadonlyMap<string, string>>(new Map());
  const report = useCallback<Report>((field, title) => {
    setByField((known) => {
      if ((known.get(field) ?? null) === title) return known;
      const next = new Map(known);
      if (title === null) next.delete(field);
      else next.set(field, title);
      return next;
    });
  }, []);
  return [[...byField.values()], report];
}

/** Reports the field as invalid while `isInvalid` is set and the field is mounted. */
export function useReportInvalid(isInvalid: boolean, title = "field"): void {
  const id = useId();
  const report = useContext(InvalidFields);
  // A layout effect runs before the frame is painted, so the button that sends the values is already disabled
  // when the invalid text appears.
  useLayoutEffect(() => {
    if (!isInvalid || report === null) return;
    report(id, title);
    return () => report(id, null);
  }, [id, report, isInvalid, title]);
}
