// Large synthetic flows, for effects that need many nodes or many iterations.
import { row, wires } from "./flows";

export interface Flow {
  schemaVersion: number;
  name: string;
  nodes: { id: string; type: string; position: { x: number; y: number }; data: Record<string, unknown> }[];
  edges: { id: string; source: string; target: string; sourceHandle?: string; targetHandle?: string }[];
}

/** Returns chains of Transforms, row by row. */
export function chains(count: number, columns: number): Flow {
  const flow: Flow = { schemaVersion: 1, name: `Chains of ${count}`, nodes: [], edges: [] };
  for (let index = 0; index < count; index++) {
    const column = index % columns;
    const end = column === 0 || column === columns - 1;
    flow.nodes.push({
      id: `n${index}`,
      type: column === 0 ? "input" : column === columns - 1 ? "output" : "transform",
      position: { x: column * 260, y: Math.floor(index / columns) * 200 },
      data: end ? { name: `v${index}` } : { template: "{{ input }}" },
    });
    if (column > 0) flow.edges.push({ id: `e${index}`, source: `n${index - 1}`, target: `n${index}` });
  }
  return flow;
}

/** The position of the Loop in a row that has one. Its body and its Exit follow. */
const LOOP_AT = 4;
const LOOP_LENGTH = 4;

/**
 * Returns rows of models and Transforms with a loop in every fourth row, and further wires from each row to
 * the next, up to a total of `wires`.
 */
export function mixed(
  count: number,
  wires: number,
  columns = 32,
  /** The part of the models' data that selects the model. */
  model: Record<string, unknown> = {},
): Flow {
  const flow: Flow = { schemaVersion: 1, name: `${count} nodes`, nodes: [], edges: [] };
  const inLoop = (index: number) => {
    const column = (index % columns) - LOOP_AT;
    return Math.floor(index / columns) % 4 === 0 && column >= 0 && column < LOOP_LENGTH ? column : null;
  };
  const kind = (index: number): [string, Record<string, unknown>] => {
    const column = index % columns;
    if (column === 0) return ["input", { name: `v${index}` }];
    if (column === columns - 1 || index === count - 1) return ["output", { name: `v${index}` }];
    const place = inLoop(index);
    if (place === 0) return ["loop", { maxIterations: 3 }];
    if (place === LOOP_LENGTH - 1) return ["exit", {}];
    return column % 2 === 0 && place === null
      ? ["transform", { template: "{{ input }}" }]
      : ["llm", { prompt: "Say {{ input }} in other words.", label: `Model ${index}`, ...model }];
  };
  for (let index = 0; index < count; index++) {
    const [type, data] = kind(index);
    const column = index % columns;
    flow.nodes.push({
      id: `n${index}`,
      type,
      position: { x: column * 280, y: Math.floor(index / columns) * 280 },
      data,
    });
    if (column === 0) continue;
    const source = `n${index - 1}`;
    const fromLoop = inLoop(index - 1) === 0 ? { sourceHandle: "body" } : {};
    flow.edges.push({ id: `e${index}`, source, target: `n${index}`, ...fromLoop });
  }
  for (const rows of [1, 2]) {
    const further = rows * columns + 1;
    for (let index = 0; index + further < count && flow.edges.length < wires; index++) {
      if (inLoop(index) !== null || kind(index)[0] === "output" || kind(index + further)[0] !== "llm")
        continue;
      flow.edges.push({
        id: `x${rows}-${index}`,
        source: `n${index}`,
        target: `n${index + further}`,
        targetHandle: rows === 1 ? "context" : "system",
      });
    }
  }
  return flow;
}

/**
 * Returns loops in sequence, `loop1` to `loop<count>`, with the same number of iterations. Each body has the
 * same Transforms in a row: the one named `first` is `first1` in the first loop. `data` is further data of
 * the Loops.
 */
export function loopsInARow(of: {
  count: number;
  passes: number;
  steps: readonly string[];
  template: string;
  text: string;
  data?: Record<string, unknown>;
}): object {
  const numbers = Array.from({ length: of.count }, (_, i) => i + 1);
  return {
    name: `${of.count} loops`,
    settings: { maxIterationsCeiling: of.passes },
    nodes: row(
      ["text", "input", { name: "text", default: of.text }],
      ...numbers.flatMap(
        (n): Parameters<typeof row> => [
          [`loop${n}`, "loop", { maxIterations: of.passes, ...of.data }],
          ...of.steps.map((step): Parameters<typeof row>[0] => [
            `${step}${n}`,
            "transform",
            { template: of.template },
          ]),
          [`exit${n}`, "exit"],
        ],
      ),
      ["out", "output", { name: "result" }],
    ),
    edges: wires(
      ...numbers.flatMap((n) => {
        const before = n === 1 ? "text.value" : `exit${n - 1}.output`;
        const body = of.steps.map((step) => `${step}${n}`);
        const from = [`loop${n}.body`, ...body.map((id) => `${id}.output`)];
        const to = [...body, `exit${n}`].map((id) => `${id}.input`);
        return [`${before} -> loop${n}.input`, ...from.map((end, i) => `${end} -> ${to[i]}`)];
      }),
      `exit${of.count}.output -> out.value`,
    ),
  };
}
