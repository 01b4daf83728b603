// Joins class names, so that a condition can be written in front of each.

/** Returns the names that are set, separated by spaces; undefined if there are none. */
export const classes = (...names: readonly (string | false | null | undefined)[]): string | undefined =>
  names.filter(Boolean).join(" ") || undefined;
