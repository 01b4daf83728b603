// Joins class names, so that a condition can be written in front of each.

/** Returns the names that are set, separated by spaces. */
export const classes = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(" ");
