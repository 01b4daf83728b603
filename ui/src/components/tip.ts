// What an element's tooltip says. `Tooltip` shows it.

/**
 * The attributes by which an element has a tooltip, to spread into it; none without a text. `keys` is the shortcut as a person
 * reads it. They are attributes and not a component: the canvas has thousands of sockets with one.
 */
export const tip = (text: string | null | undefined, keys?: string) =>
  text ? { "data-tip": text, "data-tip-keys": keys } : {};
