// Converts folder paths between the form that a file dialog returns and the form that a flow stores. Pure:
// the disk is not accessed.

const DRIVE = /^[A-Za-z]:(?=[\\/]|$)/;

/** Returns whether the path is absolute, on Linux, macOS or Windows. */
export const isAbsolute = (path: string): boolean => /^[\\/]/.test(path) || DRIVE.test(path);

/** A path without `.` and `..`: the part before its folders, such as `C:`, and the folders. */
type Parts = { readonly root: string; readonly folders: readonly string[] };

function partsOf(path: string): Parts {
  const root = (DRIVE.exec(path)?.[0] ?? "").toUpperCase();
  const folders: string[] = [];
  // A backslash is a part of a name on all systems but Windows, whose paths begin with a drive or two
  // backslashes.
  const separator = root !== "" || path.startsWith("\\\\") ? /[\\/]+/ : /\/+/;
  for (const name of path.slice(root.length).split(separator)) {
    if (name === "..") folders.pop();
    else if (name !== "" && name !== ".") folders.push(name);
  }
  return { root: path.startsWith("\\\\") ? "\\\\" : root, folders };
}

/** Returns the folder that contains a file; null if the path is not absolute. */
export function folderOfFile(file: string): string | null {
  return isAbsolute(file) ? file.replace(/[\\/][^\\/]*$/, "") || "/" : null;
}

/**
 * Returns the absolute path of a folder that is named relative to a base; null if the path is relative and
 * there is no base.
 */
export function fromBase(base: string | null, named: string): string | null {
  if (isAbsolute(named)) return named;
  return base === null ? null : `${base}/${named}`;
}

/**
 * Returns an absolute path relative to a base: `.` for the base itself, `a/b` for a folder in it. If the
 * folder is outside the base or there is no base, returns the absolute path.
 */
export function seenFrom(base: string | null, path: string): string {
  if (base === null) return path;
  const [around, inner] = [partsOf(base), partsOf(path)];
  const same = (one: string, other: string | undefined) =>
    around.root === "" ? one === other : one.toLowerCase() === other?.toLowerCase();
  const isInside =
    around.root === inner.root && around.folders.every((name, at) => same(name, inner.folders[at]));
  return isInside ? inner.folders.slice(around.folders.length).join("/") || "." : path;
}
