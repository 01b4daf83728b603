// Past runs: list, heat grid, comparison.
export function RunHistory() {
  return <main className="main" aria-label="Runs" />;
}
