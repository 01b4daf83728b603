// The tool bar: select or pan, add, note, tidy up. Next to a run, only the add tools remain, in the corner.

import { commandById } from "../commands";
import { IconButton } from "../components/Button";
import { breadcrumbPath, useDocument } from "../document/document";
import { useSession } from "../session/session";

const run = (id: string) => () => void commandById(id).run();

export function CanvasTools() {
  const tool = useSession((s) => s.tool);
  const layout = useSession((s) => s.layout);
  // No tools can be offered in the corner: a past run is read-only, and inside a subflow the way out is
  // there.
  const fixed = useDocument((s) => s.suspended !== null || breadcrumbPath(s).length > 0);
  const add = <IconButton icon="plus" size={15} label="Add node" hint="A" onClick={run("node.quickAdd")} />;
  if (layout === "run") return fixed ? null : <div className="open-add float">{add}</div>;
  return (
    <div className="tools float" role="toolbar" aria-label="Canvas">
      <IconButton
        icon="mouse-pointer-2"
        size={15}
        label="Select"
        hint="V"
        on={tool === "select"}
        onClick={run("tool.select")}
      />
      <IconButton icon="hand" size={15} label="Pan" hint="H" on={tool === "pan"} onClick={run("tool.pan")} />
      <span className="divider" />
      {add}
      <IconButton icon="sticky-note" size={15} label="Add note" onClick={run("node.addNote")} />
      <span className="divider" />
      <IconButton icon="wand-sparkles" size={15} label="Tidy up" hint="L" onClick={run("canvas.tidy")} />
    </div>
  );
}
