// The boxes that represent cards on the overview bitmap. Usually only few of many nodes move. xyflow creates
// a new object for each moved node, so a new object identifies a moved node.
import type { ReactFlowState } from "@xyflow/react";
import type { Box } from "../../kernels/geometry";
import { boxOf } from "../move/regions";
import type { CanvasNode } from "../nodes";

type State = Pick<ReactFlowState<CanvasNode>, "nodes" | "nodeLookup">;

const isCard = (node: CanvasNode): boolean => node.type === "card" || node.type === "fold";

export class OverviewBoxes {
  #nodes: readonly CanvasNode[] = [];
  #byClasses = new Map<string, Map<string, Box>>();
  #classes = new Map<string, string>();

  /** The boxes by node, grouped by the classes their card elements would have. */
  get byClasses(): ReadonlyMap<string, ReadonlyMap<string, Box>> {
    return this.#byClasses;
  }

  update(state: State, classesOf: (node: CanvasNode) => string): void {
    this.#nodes = state.nodes;
    this.#byClasses = new Map();
    this.#classes = new Map();
    for (const node of state.nodes) {
      const box = isCard(node) ? boxOf(state, node.id) : null;
      if (!box) continue;
      const classes = classesOf(node);
      this.#classes.set(node.id, classes);
      const alike = this.#byClasses.get(classes);
      if (alike) alike.set(node.id, box);
      else this.#byClasses.set(classes, new Map([[node.id, box]]));
    }
  }

  /**
   * Returns the nodes moved since the last call, and in `damage` their old and new boxes; `null` if nodes
   * were added, removed or changed.
   */
  movedIn(state: State): { nodes: string[]; damage: Box[] } | null {
    const before = this.#nodes;
    if (state.nodes === before) return { nodes: [], damage: [] };
    if (state.nodes.length !== before.length) return null;
    const nodes: string[] = [];
    const damage: Box[] = [];
    for (const [i, node] of state.nodes.entries()) {
      const was = before[i];
      if (node === was) continue;
      const same = node.id === was?.id && node.type === was.type && node.data === was.data;
      const moved = same && isCard(node) ? this.#move(state, node.id) : null;
      if (!moved) return null;
      nodes.push(node.id);
      damage.push(...moved);
    }
    this.#nodes = state.nodes;
    return { nodes, damage };
  }

  /** Updates nodes that moved while `state.nodes` stayed the same. Returns their old and new boxes. */
  moveTo(state: State, ids: readonly string[]): Box[] {
    return ids.flatMap((id) => this.#move(state, id) ?? []);
  }

  #move(state: State, id: string): [was: Box, is: Box] | null {
    const boxes = this.#byClasses.get(this.#classes.get(id) ?? "");
    const was = boxes?.get(id);
    const is = boxOf(state, id);
    if (!boxes || !was || !is) return null;
    boxes.set(id, is);
    return [was, is];
  }
}
