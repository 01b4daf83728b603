// How names are written in templates and expressions. Pure.

const IDENTIFIER = /^[A-Za-z_]\w*$/;

export const isIdentifier = (text: string): boolean => IDENTIFIER.test(text);

/** A field behind a name: `draft.score`, `draft["a b"]`. */
export const fieldOf = (base: string, key: string): string =>
  isIdentifier(key) ? `${base}.${key}` : `${base}[${JSON.stringify(key)}]`;

/** A node's name in an expression; one that is no identifier goes by `nodes["…"]`. */
export const nodeName = (id: string): string => (isIdentifier(id) ? id : `nodes[${JSON.stringify(id)}]`);

/** The value at a node's output: its primary one goes by the node's name alone. */
export const outputName = (
  id: string,
  handle: { readonly name: string; readonly primary: boolean },
): string => (handle.primary ? nodeName(id) : fieldOf(nodeName(id), handle.name));
