// The names available to a condition, for the pickers, with their fields and last values. Pure. The pickers
// only suggest names; validation decides whether a name can be read at this place.
import type {
  FlowDoc,
  FlowNode,
  HandleInfo,
  Json,
  KindInfo,
  NameInScope,
  Region,
} from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";
import { fieldOf, isIdentifier, nodeName } from "../../kernels/reference";
import type { Iteration, LoopRecord, RunState } from "../../runs/fold/model";
import { type Choice, shownIteration, shownLoop } from "../../runs/view/view";

export type NameChoice = {
  /** The name as written in the expression. */
  readonly name: string;
  /** The name as displayed: "Draft › response". */
  readonly label: string;
  /** The start of the name's value in the last shown iteration; null if unknown. */
  readonly last: string | null;
};

export type NameGroup = { readonly title: string; readonly names: readonly NameChoice[] };

/** The parts of the analysis and the run from which names are derived. */
export type NameSources = {
  readonly document: FlowDoc;
  readonly region: Pick<Region, "start" | "body" | "tail" | "end"> | undefined;
  readonly outputs: (nodeId: string) => readonly HandleInfo[];
  readonly kindOf: (type: string) => Pick<KindInfo, "shape"> | undefined;
  readonly run: RunState | null;
  readonly choice: Choice;
};

const MAX_SAMPLE_CHARACTERS = 44;
const MAX_FIELDS = 12;

/**
 * Parses the object in a preview. Returns null if the value is not an object or the preview was truncated.
 */
function objectIn(preview: string | null): Record<string, Json> | null {
  if (preview === null || !preview.startsWith("{")) return null;
  try {
    return JSON.parse(preview) as Record<string, Json>;
  } catch {
    return null;
  }
}

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_SAMPLE_CHARACTERS ? `${line.slice(0, MAX_SAMPLE_CHARACTERS - 1)}…` : line;
};

const shownValue = (value: Json): string =>
  shortened(typeof value === "string" ? value : JSON.stringify(value));

/** Returns a name, followed by the fields of its last value if that was an object. */
function withFields(
  name: string,
  label: string,
  last: string | null,
  known = new Set<string>(),
): NameChoice[] {
  const own = { name, label, last: last === null ? null : shortened(last) };
  const fields = Object.entries(objectIn(last) ?? {})
    .filter(([key]) => !known.has(key))
    .slice(0, MAX_FIELDS)
    .map(([key, value]) => ({
      name: fieldOf(name, key),
      label: `${label} › ${key}`,
      last: shownValue(value),
    }));
  return [own, ...fields];
}

/** Returns all names that a loop's condition can read, most likely first. */
export function conditionNames(loop: FlowNode, test: "before" | "after", sources: NameSources): NameGroup[] {
  const record = sources.run && shownLoop(sources.run, sources.choice, loop.id);
  const iteration = record ? shownIteration(record, sources.choice) : null;
  return [
    {
      title: test === "after" ? "This iteration" : "The next iteration",
      names: own(loop, test, record, iteration),
    },
    { title: "Variables", names: variables(loop) },
    ...(test === "after"
      ? [{ title: "Nodes in the loop", names: body(sources, iteration, nodeName) }]
      : [
          {
            title: "Previous iteration",
            names: body(sources, iteration, (id) => fieldOf("previous", id), true),
          },
        ]),
    { title: "Counters", names: counters(iteration) },
    { title: "Before the loop", names: upstream(loop.id, sources) },
  ].filter((group) => group.names.length > 0);
}

function own(
  loop: FlowNode,
  test: "before" | "after",
  record: LoopRecord | null,
  iteration: Iteration | null,
): NameChoice[] {
  const alias = typeof loop.data.inputName === "string" ? loop.data.inputName.trim() : "";
  const input = iteration?.inputPreview ?? null;
  const result = (iteration ?? record?.iterations.at(-1))?.resultPreview ?? null;
  const inputs = [
    ...withFields("input", test === "after" ? "its input" : "the next input", input),
    ...(isIdentifier(alias) ? withFields(alias, "another name for its input", input) : []),
  ];
  return test === "after"
    ? [...withFields("result", "its result", result), ...inputs]
    : [...inputs, ...withFields("loopResult", "the last result", result)];
}

function variables(loop: FlowNode): NameChoice[] {
  const list = Array.isArray(loop.data.variables) ? loop.data.variables : [];
  return list.flatMap((variable: Json): NameChoice[] => {
    const entry = variable as { name?: Json; initial?: Json } | null;
    if (typeof entry?.name !== "string" || entry.name === "") return [];
    const first = entry.initial === undefined ? null : `first ${shownValue(entry.initial)}`;
    return [{ name: fieldOf("vars", entry.name), label: entry.name, last: first }];
  });
}

/**
 * Returns the names of the nodes in a region. The tail nodes run only after the condition was tested, so they
 * are left out unless `withTail` is set.
 */
function body(
  { document, region, outputs, kindOf }: NameSources,
  iteration: Iteration | null,
  nameOf: (id: string) => string,
  withTail = false,
): NameChoice[] {
  if (!region) return [];
  const left = new Set(withTail ? [] : region.tail);
  return document.nodes
    .filter((node) => region.body.includes(node.id) && !left.has(node.id) && node.id !== region.end)
    .flatMap((node) =>
      namesOfNode(
        node,
        nameOf(node.id),
        outputs(node.id),
        kindOf(node.type)?.shape ?? "plain",
        iteration?.scope.steps[node.id]?.preview ?? null,
      ),
    );
}

function namesOfNode(
  node: FlowNode,
  name: string,
  handles: readonly HandleInfo[],
  shape: KindInfo["shape"],
  last: string | null,
): NameChoice[] {
  if (shape === "annotation") return [];
  // A branch of a branching node has a value only if it was taken. A test can rely only on the verdict.
  const further = shape === "branching" ? [] : handles.filter((handle) => !handle.primary);
  const value = objectIn(last);
  return [
    ...withFields(name, titleOf(node), last, new Set(further.map((handle) => handle.name))),
    ...further.map((handle) => ({
      name: fieldOf(name, handle.name),
      label: `${titleOf(node)} › ${handle.label}`,
      last: value !== null && handle.name in value ? shownValue(value[handle.name]) : null,
    })),
  ];
}

function counters(iteration: Iteration | null): NameChoice[] {
  const number = iteration?.number ?? null;
  return [
    { name: "loopCount", label: "iteration, from 1", last: number === null ? null : String(number) },
    { name: "loopIndex", label: "iteration, from 0", last: number === null ? null : String(number - 1) },
  ];
}

/**
 * Returns the names of the nodes outside the loop whose values can reach the loop or its body. These values
 * are the same in every iteration.
 */
function upstream(loopId: string, { document, region, outputs, kindOf, run }: NameSources): NameChoice[] {
  const inside = new Set([loopId, ...(region?.body ?? [])]);
  const found = new Set<string>();
  const queue = [...inside];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const edge of document.edges) {
      if (edge.target !== id || inside.has(edge.source) || found.has(edge.source)) continue;
      found.add(edge.source);
      queue.push(edge.source);
    }
  }
  if (region?.end) found.delete(region.end);
  return document.nodes
    .filter((node) => found.has(node.id))
    .flatMap((node) =>
      namesOfNode(
        node,
        nodeName(node.id),
        outputs(node.id),
        kindOf(node.type)?.shape ?? "plain",
        run?.root.steps[node.id]?.preview ?? null,
      ),
    );
}

/** The titles of the groups of names, in display order. */
const GROUPS: Readonly<Record<NameInScope["group"], string>> = {
  input: "Inputs",
  node: "Earlier nodes",
  variable: "Variables",
  previous: "Previous iteration",
  loop: "Counters",
  run: "The run",
};

/** Returns the names in a field's scope, each with the fields of its last value. */
export function scopeNames(names: readonly NameInScope[]): NameGroup[] {
  const choices = (name: NameInScope): NameChoice[] => [
    { name: name.written, label: name.description, last: name.last === null ? null : shortened(name.last) },
    ...name.fields.map((field) => ({
      name: field.written,
      label: `a field of ${name.written}`,
      last: shortened(field.last),
    })),
  ];
  return Object.entries(GROUPS)
    .map(([group, title]) => ({
      title,
      names: names.filter((name) => name.group === group).flatMap(choices),
    }))
    .filter((group) => group.names.length > 0);
}
