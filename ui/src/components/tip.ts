// The tooltip text of an element, shown by `Tooltip`.

/**
 * Returns the attributes that give an element a tooltip, or no attributes if the text is empty. `keys` is the
 * readable shortcut. Attributes are used instead of a component because the canvas has thousands of sockets
 * with tooltips.
 */
export const tip = (text: string | null | undefined, keys?: string) =>
  text ? { "data-tip": text, "data-tip-keys": keys } : {};
