// The rename box at a node's card: its title, and the id that templates use.

import { type FormEvent, useEffect, useRef, useState } from "react";
import { classes } from "../components/classes";
import searchListStyles from "../components/SearchList.module.css";
import { useDocument, useFlowNode } from "../document/document";
import { idFor, renameNode } from "../document/rename";
import type { FlowNode } from "../ipc/generated/bindings";
import { useCanvasPanels } from "../session/canvas-panels";
import { canvasView } from "../session/canvas-view";
import { testIds } from "../testids";
import { placeInCanvas } from "./add/place-in-canvas";
import styles from "./RenameBox.module.css";

const SIZE = { width: 250, height: 170 };

export function RenameBox() {
  const id = useCanvasPanels((s) => s.renaming);
  const node = useFlowNode(id);
  return node ? <Box key={node.id} node={node} /> : null;
}

function Box({ node }: { node: FlowNode }) {
  const [title, setTitle] = useState(typeof node.data.label === "string" ? node.data.label : "");
  const [ownId, setOwnId] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const id = ownId ?? idFor(useDocument.getState().document, node, title);
  const close = (focus = node.id) => {
    useCanvasPanels.getState().rename(null);
    canvasView()?.focus(focus);
  };
  useEffect(() => {
    const away = (event: PointerEvent) => {
      if (!form.current?.contains(event.target as Node)) useCanvasPanels.getState().rename(null);
    };
    window.addEventListener("pointerdown", away, true);
    return () => window.removeEventListener("pointerdown", away, true);
  }, []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = await renameNode(node.id, title, id);
    setProblem(wrong);
    if (wrong === null) close(id);
  };
  const box = canvasView()?.boxes().get(node.id);
  const at = box && canvasView()?.toClient({ x: box.left, y: box.top });
  return (
    <form
      ref={form}
      className={classes(searchListStyles.popupList, styles.rename)}
      style={placeInCanvas(at ?? { x: 0, y: 0 }, SIZE)}
      aria-label="Rename"
      data-testid={testIds.renameBox}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
      }}
    >
      <label>
        <span>Name</span>
        <input
          // biome-ignore lint/a11y/noAutofocus: the user opens the box to type, and Escape closes it.
          autoFocus
          value={title}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setTitle(event.target.value)}
        />
      </label>
      <label>
        <span>Id in templates</span>
        <input
          className={classes("mono", styles.id)}
          value={id}
          spellCheck={false}
          onChange={(event) => setOwnId(event.target.value)}
        />
      </label>
      {problem !== null && (
        <p className="text-error" role="alert">
          {problem}
        </p>
      )}
      <div className={searchListStyles.listFoot}>
        <span>
          <kbd>↵</kbd> rename everywhere
        </span>
      </div>
      <button type="submit" hidden />
    </form>
  );
}
