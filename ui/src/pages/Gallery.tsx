// The first page: templates, recent files, model set-up.
export function Gallery() {
  return <main className="main" aria-label="Templates" />;
}
