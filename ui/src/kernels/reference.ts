// Writes names in templates and expressions. Pure.

const IDENTIFIER = /^[A-Za-z_]\w*$/;

export const isIdentifier = (text: string): boolean => IDENTIFIER.test(text);

/** Returns the expression for a field of a value: `draft.score`, `draft["a b"]`. */
export const fieldOf = (base: string, key: string): string =>
  isIdentifier(key) ? `${base}.${key}` : `${base}[${JSON.stringify(key)}]`;

/** Returns a node's name in an expression. An id that is not an identifier becomes `nodes["…"]`. */
export const nodeName = (id: string): string => (isIdentifier(id) ? id : `nodes[${JSON.stringify(id)}]`);

/** Returns the name of a node's output. For the primary output, this is only the node's name. */
export const outputName = (
  id: string,
  handle: { readonly name: string; readonly primary: boolean },
): string => (handle.primary ? nodeName(id) : fieldOf(nodeName(id), handle.name));
