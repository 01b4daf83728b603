// The palette: kinds and presets by category, with a search in which Enter adds the first match.

import { useEffect, useMemo, useState } from "react";
import { createPortal } from "react-dom";
import buttonStyles from "../../components/Button.module.css";
import { classes } from "../../components/classes";
import formStyles from "../../components/Form.module.css";
import { Icon } from "../../components/Icon";
import searchListStyles from "../../components/SearchList.module.css";
import { type Offer, offersOf, serverToolOffers } from "../../document/build";
import { isLoopFamily, useKinds } from "../../document/kinds";
import { useTools } from "../../document/tools";
import type { Category } from "../../ipc/generated/bindings";
import { insertAtCentre } from "./insert";
import { nearness } from "./offer-search";
import styles from "./Palette.module.css";
import { type Drag, DragGhost, PaletteItem } from "./PaletteItem";

const categories: { id: Category; title: string }[] = [
  { id: "io", title: "I/O" },
  { id: "ai", title: "AI" },
  { id: "logic", title: "Logic" },
  { id: "tools", title: "Tools" },
  { id: "flow", title: "Flow" },
];

interface Section {
  readonly id: Category;
  readonly title: string;
  readonly offers: readonly Offer[];
}

/** Returns the matches grouped by category. The category with the closest match comes first. */
function found(offers: readonly Offer[], query: string): Section[] {
  const near = (offer: Offer) => nearness(offer, query) ?? Number.POSITIVE_INFINITY;
  const nearest = ({ offers: [first] }: Section) => (first ? near(first) : Number.POSITIVE_INFINITY);
  return categories
    .map(({ id, title }) => ({
      id,
      title,
      offers: offers
        .filter((offer) => offer.kind.category === id && nearness(offer, query) !== null)
        // The loop comes first in its category, because most people look for it.
        .sort((a, b) => near(a) - near(b) || Number(isLoopFamily(b.kind)) - Number(isLoopFamily(a.kind))),
    }))
    .filter((section) => section.offers.length > 0)
    .sort((a, b) => nearest(a) - nearest(b));
}

export function Palette() {
  const kinds = useKinds((s) => s.kinds);
  const presets = useKinds((s) => s.presets);
  const [query, setQuery] = useState("");
  const [closed, setClosed] = useState<ReadonlySet<Category>>(new Set());
  const [drag, setDrag] = useState<Drag | null>(null);
  const offers = useMemo(() => offersOf(kinds, presets), [kinds, presets]);
  const searching = query.trim() !== "";
  const tools = useTools((s) => s.tools);
  useEffect(() => {
    if (searching) useTools.getState().load();
  }, [searching]);
  const sections = useMemo(
    () => found(searching ? [...offers, ...serverToolOffers(offers, tools ?? [])] : offers, query),
    [offers, query, searching, tools],
  );
  /** The entry that Enter adds. */
  const first = searching ? sections[0]?.offers[0] : undefined;
  const toggle = (id: Category) =>
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  return (
    <aside className={classes(styles.palette, "palette")} data-region="palette" aria-label="Node palette">
      <div className={searchListStyles.searchBox}>
        <Icon name="search" size={14} />
        <input
          id="palette-search"
          value={query}
          placeholder="Search nodes"
          aria-label="Search nodes"
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && first) insertAtCentre(first);
            if (event.key === "Escape") setQuery("");
          }}
        />
        <kbd>/</kbd>
      </div>
      <div className={styles.list}>
        {sections.map(({ id, title, offers: inCategory }) => {
          const open = searching || !closed.has(id);
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
                inCategory.map((offer) => (
                  <PaletteItem key={offer.id} offer={offer} isNext={offer === first} onDrag={setDrag} />
                ))}
            </section>
          );
        })}
        {sections.length === 0 && (
          <p className={classes(formStyles.hint, styles.none)}>
            No node matches “{query}”.{" "}
            <button type="button" className={buttonStyles.link} onClick={() => setQuery("")}>
              Clear the search
            </button>
          </p>
        )}
      </div>
      {drag && createPortal(<DragGhost drag={drag} />, document.body)}
    </aside>
  );
}
