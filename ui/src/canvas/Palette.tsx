// The palette: kinds and presets by category, with a search that also adds by Enter.
import { useMemo, useState } from "react";
import { createPortal } from "react-dom";
import { Icon } from "../components/Icon";
import { offersOf } from "../document/build";
import { useKinds } from "../document/kinds";
import type { Category } from "../ipc/generated/bindings";
import { isLoopFamily } from "./card/NodeCard";
import { insertAtCentre } from "./insert";
import { type Drag, DragGhost, PaletteItem } from "./PaletteItem";

const categories: { id: Category; title: string }[] = [
  { id: "io", title: "I/O" },
  { id: "ai", title: "AI" },
  { id: "logic", title: "Logic" },
  { id: "tools", title: "Tools" },
  { id: "flow", title: "Flow" },
];

export function Palette() {
  const kinds = useKinds((s) => s.kinds);
  const presets = useKinds((s) => s.presets);
  const [query, setQuery] = useState("");
  const [closed, setClosed] = useState<ReadonlySet<Category>>(new Set());
  const [drag, setDrag] = useState<Drag | null>(null);
  const offers = useMemo(() => offersOf(kinds, presets), [kinds, presets]);
  const wanted = query.trim().toLowerCase();
  const found = offers.filter((offer) => `${offer.title} ${offer.summary}`.toLowerCase().includes(wanted));
  const toggle = (id: Category) =>
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  return (
    <aside className="palette" aria-label="Node palette">
      <div className="psearch">
        <Icon name="search" size={14} />
        <input
          id="palette-search"
          value={query}
          placeholder="Search nodes"
          aria-label="Search nodes"
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && found[0]) insertAtCentre(found[0]);
            if (event.key === "Escape") setQuery("");
          }}
        />
        <kbd>/</kbd>
      </div>
      <div className="plist">
        {categories.map(({ id, title }) => {
          // The loop leads its category: it is what most people come for.
          const inCategory = found
            .filter((offer) => offer.kind.category === id)
            .sort((a, b) => Number(isLoopFamily(b.kind)) - Number(isLoopFamily(a.kind)));
          if (inCategory.length === 0) return null;
          const open = wanted !== "" || !closed.has(id);
          return (
            <section key={id}>
              <h3>
                <button type="button" aria-expanded={open} onClick={() => toggle(id)}>
                  <Icon name={open ? "chevron-down" : "chevron-right"} size={11} />
                  {title}
                </button>
                <i>{inCategory.length}</i>
              </h3>
              {open &&
                inCategory.map((offer) => <PaletteItem key={offer.id} offer={offer} onDrag={setDrag} />)}
            </section>
          );
        })}
        {found.length === 0 && (
          <p className="hint palette-none">
            Nothing is called “{query}”.{" "}
            <button type="button" className="link" onClick={() => setQuery("")}>
              Clear the search
            </button>
          </p>
        )}
      </div>
      {drag && createPortal(<DragGhost drag={drag} />, document.body)}
    </aside>
  );
}
