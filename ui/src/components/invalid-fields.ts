// A field keeps its last valid value while its text cannot be read. Whoever sends the values must know which fields do.
import { createContext, useCallback, useContext, useId, useLayoutEffect, useState } from "react";

type Report = (field: string, title: string | null) => void;

/** Takes what the fields inside report; null where nobody asks. */
export const InvalidFields = createContext<Report | null>(null);

/** The titles of the fields inside that cannot be read, and what to give `InvalidFields`. */
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

/** Says that the field's text cannot be read, until it can or the field is gone. */
export function useReportInvalid(isInvalid: boolean, title = "field"): void {
  const id = useId();
  const report = useContext(InvalidFields);
  // Before the frame is painted: a button that sends the values must not be pressed in between.
  useLayoutEffect(() => {
    if (!isInvalid || report === null) return;
    report(id, title);
    return () => report(id, null);
  }, [id, report, isInvalid, title]);
}
