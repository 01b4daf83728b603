// The names available in a node's fields, as chips. Drag one into a field, or click it to insert it at the
// last cursor position.

import { useRef, useState } from "react";
import { Button } from "../../../components/Button";
import { classes } from "../../../components/classes";
import { editorIn } from "../../../components/code/open";
import formStyles from "../../../components/Form.module.css";
import panelStyles from "../../../components/Panel.module.css";
import { socketLook } from "../../../components/socket-look";
import { tip } from "../../../components/tip";
import type { NameInScope } from "../../../ipc/generated/bindings";
import { useNameDrag } from "./drag";
import styles from "./Names.module.css";
import { useNamesAt } from "./names";

/** The number of chips shown before the list is expanded. */
const FIRST = 8;

const SHAPES: Readonly<Record<NameInScope["valueType"], string>> = {
  text: "text",
  json: "json",
  number: "number",
  boolean: "bool",
  any: "any",
};

/**
 * Returns the rank of a name. Names with a low rank are listed first: inputs, variables, nodes, counters, the
 * previous iteration, and last the run and the secondary outputs of nodes.
 */
const rank = (name: NameInScope): number =>
  ({ input: 0, variable: 1, node: 2, loop: 3, previous: 4, run: 5 })[name.group] +
  (name.group === "node" && name.written.includes(".") ? 3 : 0);

type NamesProps = { nodeId: string; field: string; className?: string };

/**
 * Lists the names available in `field`. A chosen name is inserted into the most recently used field of the
 * form.
 */
export function Names({ nodeId, field, className }: NamesProps) {
  const box = useRef<HTMLElement>(null);
  const [all, setAll] = useState(false);
  const { names } = useNamesAt(nodeId, field);
  if (names.length === 0) return null;
  const sorted = names
    .map((name, i) => ({ name, i }))
    .sort((a, b) => rank(a.name) - rank(b.name) || a.i - b.i);
  const shown = all ? sorted : sorted.slice(0, FIRST);
  const put = (written: string) => {
    const form = box.current?.closest("dialog, [data-node]") ?? document;
    editorIn(form)?.insert(written);
  };
  return (
    <section
      className={classes(panelStyles.section, className)}
      ref={box}
      aria-label="Names you can use"
      data-testid="names"
    >
      <h4>Names you can use</h4>
      <div className={styles.names}>
        {shown.map(({ name }) => (
          <Chip key={name.written} name={name} onPick={() => put(name.written)} />
        ))}
        {sorted.length > FIRST && (
          <Button small onClick={() => setAll(!all)}>
            {all ? "Fewer" : `${sorted.length - FIRST} more`}
          </Button>
        )}
      </div>
      <p className={classes(formStyles.hint, styles.help)}>
        Drag into a field or click to insert. Ctrl+Space in a field lists all.
      </p>
    </section>
  );
}

function Chip({ name, onPick }: { name: NameInScope; onPick(): void }) {
  const drag = useNameDrag(name.written);
  const last = name.last === null ? "" : `\nLast: ${name.last}`;
  return (
    <button
      type="button"
      className={styles.chip}
      {...tip(`${name.description}${last}`)}
      aria-label={`Insert ${name.written}, ${name.description}`}
      onClick={() => {
        if (!drag.wasDragged()) onPick();
      }}
      {...drag.handlers}
    >
      <i className={socketLook(SHAPES[name.valueType])} data-type={name.valueType} />
      {name.written}
    </button>
  );
}
