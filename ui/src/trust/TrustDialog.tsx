// The dialog in which the user grants a flow its permissions: hosts, folders, programs, keys. The button that
// refuses has the focus first, and Escape refuses, so that nothing is allowed by accident.

import { useEffect, useRef, useState } from "react";
import { Button } from "../components/Button";
import { classes } from "../components/classes";
import dialogStyles from "../components/Dialog.module.css";
import { Icon } from "../components/Icon";
import { useModal } from "../components/use-modal";
import type { Need, NeedKind } from "../ipc/generated/bindings";
import { escapeInvisible } from "../kernels/visible";
import { testIds } from "../testids";
import { type Purpose, useTrust } from "./store";
import styles from "./TrustDialog.module.css";
import { countNeeds, describeItem, KINDS, quoteLabels } from "./words";

/** The wording of the dialog, by purpose. */
const TEXTS: Readonly<
  Record<Purpose, { title(name: string): string; detail: string; allow: string; go: string }>
> = {
  run: {
    title: (name) => `Allow “${name}” to use these?`,
    detail:
      "Nothing has run yet. Your permission covers this flow and exactly this list. When the flow changes, you are asked about what is new.",
    allow: "Allow and run",
    go: "Run",
  },
  resume: {
    title: (name) => `Allow “${name}” to use these?`,
    detail:
      "The run continues once you allow it. Otherwise nothing changes. Your permission covers this flow and exactly this list.",
    allow: "Allow and continue",
    go: "Continue",
  },
  look: {
    title: (name) => `Start “${name}”?`,
    detail:
      "Loopwright runs this command once to list its tools. Each workflow still asks before using it. You are asked again when the command changes.",
    allow: "Start it",
    go: "Start it",
  },
};

/**
 * Returns the description of an item in full, line by line. A server may have written the description, so
 * invisible characters are escaped.
 */
const inLines = (text: string) => text.split("\n").map(escapeInvisible).join("\n");

function NeedRow({ need, chosen, choose }: { need: Need; chosen: boolean; choose: (on: boolean) => void }) {
  const words = (
    <>
      <code>{escapeInvisible(describeItem(need.kind, need.what))}</code>
      <span className={styles.trustBy}>
        {[quoteLabels(need.nodes), inLines(need.detail ?? "")].filter((part) => part).join(" · ")}
      </span>
    </>
  );
  if (need.state === "wanted")
    return (
      <li>
        <label>
          <input type="checkbox" checked={chosen} onChange={(event) => choose(event.target.checked)} />{" "}
          {words}
        </label>
      </li>
    );
  return (
    <li>
      {words}
      {need.state === "approved" && <span className={styles.trustState}>approved before</span>}
      {need.state === "asks" && <span className={styles.trustState}>asks before each use</span>}
      {need.state === "computed" && (
        <span className={styles.trustState}>refused, except those allowed by name</span>
      )}
    </li>
  );
}

export function TrustDialog() {
  const open = useTrust((s) => s.open);
  const box = useRef<HTMLDialogElement>(null);
  const [wanted, setWanted] = useState<string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question starts without a choice.
  useEffect(() => setWanted([]), [open]);
  useModal(box, open);
  if (!open) return null;
  const { name, list, purpose, answer } = open;
  const text = TEXTS[purpose];
  const kinds = (Object.keys(KINDS) as NeedKind[]).filter((kind) => list.needs.some((n) => n.kind === kind));
  const choose = (item: string) => (on: boolean) =>
    setWanted((items) => (on ? [...items, item] : items.filter((other) => other !== item)));
  return (
    <dialog
      ref={box}
      className={dialogStyles.question}
      data-testid={testIds.trustDialog}
      aria-labelledby="trust-title"
      aria-describedby="trust-detail"
      onCancel={(event) => {
        event.preventDefault();
        answer({ allow: false });
      }}
    >
      <h2 id="trust-title">{text.title(escapeInvisible(name))}</h2>
      <p id="trust-detail">{text.detail}</p>
      <div className={styles.trustNeeds}>
        {kinds.map((kind) => (
          <section key={kind} aria-label={KINDS[kind].title}>
            <h3>
              <Icon name={KINDS[kind].icon} size={14} /> {KINDS[kind].title}
            </h3>
            <ul>
              {list.needs
                .filter((need) => need.kind === kind)
                .map((need) => (
                  <NeedRow
                    key={need.item}
                    need={need}
                    chosen={wanted.includes(need.item)}
                    choose={choose(need.item)}
                  />
                ))}
            </ul>
          </section>
        ))}
      </div>
      {list.missing > 1 && <p>In all: {countNeeds(list.needs.filter((need) => need.state === "new"))}.</p>}
      <div className={classes(dialogStyles.choices, "row")}>
        <Button onClick={() => answer({ allow: false })} data-testid={testIds.trustRefuse}>
          {list.missing > 0 ? "Refuse" : "Cancel"}
        </Button>
        <Button
          variant="primary"
          onClick={() => answer({ allow: true, wanted })}
          data-testid={testIds.trustAllow}
        >
          {list.missing > 0 ? text.allow : text.go}
        </Button>
      </div>
    </dialog>
  );
}
