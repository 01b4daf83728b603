// Distinguishes files that have the same name by their folders. Pure.

const parts = (path: string): string[] => path.split(/[\\/]/).filter(Boolean);

/**
 * Returns a folder label for each path: the fewest trailing folders that distinguish it from other files with
 * the same name. For `/flows/a/x.json` next to `/flows/b/x.json`, the label is `a`. Null if the name is
 * unique or the path is null.
 */
export function foldersApart(paths: readonly (string | null)[]): (string | null)[] {
  return paths.map((path, i) => {
    if (path === null) return null;
    const own = parts(path);
    const others = paths.flatMap((other, j) =>
      i === j || other === null || other === path || parts(other).at(-1) !== own.at(-1) ? [] : [parts(other)],
    );
    if (others.length === 0) return null;
    for (let count = 1; count < own.length; count += 1) {
      const tail = own.slice(-1 - count).join("/");
      if (others.every((other) => other.slice(-1 - count).join("/") !== tail))
        return own.slice(-1 - count, -1).join("/");
    }
    return "/";
  });
}
