// Loads the editor's code once: with the first field, or earlier when the page is idle.
type Code = typeof import("./editor");

let loaded: Code | null = null;
let loading: Promise<Code> | null = null;

export const loadedCode = (): Code | null => loaded;

export function loadCode(): Promise<Code> {
  loading ??= import("./editor").then(
    (code) => {
      loaded = code;
      return code;
    },
    (error: unknown) => {
      // After a failure the next field tries to load again.
      loading = null;
      throw error;
    },
  );
  return loading;
}
