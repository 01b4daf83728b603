// The tooltip text of an element, shown by `Tooltip`.

/**
 * Returns the attributes that give an element a tooltip; none without a text. `keys` is the readable
 * shortcut. They are attributes and not a component, because the canvas has thousands of sockets with a
 * tooltip.
 */
export const tip = (text: string | null | undefined, keys?: string) =>
  text ? { "data-tip": text, "data-tip-keys": keys } : {};
