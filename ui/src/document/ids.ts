// Creates unused ids. Pure.

/** Returns an unused id from a readable stem: "llm", "llm_2", "llm_3"… */
export function freeId(taken: { has(id: string): boolean }, stem: string): string {
  // "naïve" becomes "naive", not "na_ve".
  const plain = stem.normalize("NFKD").replace(/\p{M}+/gu, "");
  const base = plain.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "") || "node";
  if (!taken.has(base)) return base;
  for (let n = 2; ; n++) {
    const id = `${base}_${n}`;
    if (!taken.has(id)) return id;
  }
}
