// Joins CSS class names. A name can depend on a condition: `classes("card", isOpen && "open")`.

/** Returns the names joined by spaces. False, null, undefined and empty values are left out. */
export const classes = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(" ");
