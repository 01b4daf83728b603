// The tables of a Loop: its variables, and its additional outputs.

import { Button, IconButton } from "../../components/Button";
import formListsStyles from "../../components/FormLists.module.css";
import { TextField } from "../../components/fields";
import { Select } from "../../components/Select";
import { FieldCode } from "../../inspector/form/code/FieldCode";
import { FieldProblem } from "../../inspector/form/Field";
import type { FieldSpec } from "../../inspector/form/schema";
import { ValueField } from "../../inspector/form/ValueField";
import { freeName } from "../../inspector/form/widgets/lists";
import type { Json, Problem } from "../../ipc/generated/bindings";
import styles from "./Tables.module.css";

type Entry = Readonly<Record<string, Json>>;

export type TableProps = {
  nodeId: string;
  field: FieldSpec;
  value: Json;
  problems: readonly Problem[];
  onChange(value: Json): void;
};

const entriesOf = (value: Json): Entry[] =>
  (Array.isArray(value) ? value : []).map((entry: Json) =>
    typeof entry === "object" && entry !== null && !Array.isArray(entry) ? (entry as Entry) : {},
  );

const nameOf = (entry: Entry): string => (typeof entry.name === "string" ? entry.name : "");

function changed(list: readonly Entry[], at: number, key: string, value: Json): Entry[] {
  return list.map((entry, i) => {
    if (i !== at) return entry;
    const { [key]: _, ...rest } = entry;
    return value === undefined ? rest : { ...entry, [key]: value };
  });
}

/**
 * The frame that both tables share: a card for each entry with its name and a remove button, and a button
 * that adds an entry.
 */
function Entries(
  props: TableProps & {
    what: string;
    stem: string;
    fresh: Entry;
    draw(entry: Entry, i: number, set: (key: string, value: Json) => void): React.ReactNode;
  },
) {
  const { field, value, problems, onChange, what, stem, fresh, draw } = props;
  const list = entriesOf(value);
  const put = (next: Entry[]) => onChange(next.length > 0 ? next : undefined);
  return (
    <div className={formListsStyles.listed} data-field={field.name}>
      {list.map((entry, i) => {
        const place = `${field.name}[${i}]`;
        const set = (key: string, next: Json) => put(changed(list, i, key, next));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is identified by its index, since its name changes while typing.
          <div className={styles.entry} key={i} data-field={place}>
            <div className={styles.head}>
              <TextField
                mono
                label={`Name of ${what} ${i + 1}`}
                placeholder="name"
                value={nameOf(entry)}
                onChange={(name) => set("name", name)}
              />
              <IconButton
                icon="x"
                size={13}
                small
                label={`Remove ${what} ${nameOf(entry)}`}
                onClick={() => put(list.filter((_, j) => j !== i))}
              />
            </div>
            {draw(entry, i, set)}
            {problems
              .filter((p) => p.place?.startsWith(place))
              .map((p) => (
                <FieldProblem key={`${p.code}:${p.message}`} problem={p} />
              ))}
          </div>
        );
      })}
      <Button
        small
        icon="plus"
        onClick={() => put([...list, { name: freeName(list.map(nameOf), stem), ...fresh }])}
      >
        Add {what}
      </Button>
    </div>
  );
}

export function VariablesTable(props: TableProps) {
  return (
    <Entries
      {...props}
      what="variable"
      stem="var"
      fresh={{ initial: "" }}
      draw={(entry, i, set) => (
        <>
          <Cell label="First">
            <ValueField
              label={`First value of variable ${i + 1}`}
              nodeId={props.nodeId}
              place={`variables[${i}].initial`}
              placeholder="value in iteration 1"
              value={entry.initial}
              onChange={(value) => set("initial", value)}
            />
          </Cell>
          <Cell label="Then">
            <ValueField
              label={`Next value of variable ${i + 1}`}
              nodeId={props.nodeId}
              place={`variables[${i}].next`}
              placeholder="unchanged"
              value={entry.next}
              onChange={(value) => set("next", value)}
            />
          </Cell>
        </>
      )}
    />
  );
}

export function OutputsTable(props: TableProps) {
  const takes = props.field.fields.find((f) => f.name === "take");
  return (
    <Entries
      {...props}
      what="output"
      stem="output"
      fresh={{ from: "" }}
      draw={(entry, i, set) => (
        <>
          <Cell label="From">
            <FieldCode
              language="expression"
              nodeId={props.nodeId}
              place={`outputs[${i}].from`}
              label={`What output ${i + 1} reads`}
              placeholder="coder.code"
              value={typeof entry.from === "string" ? entry.from : ""}
              onChange={(from) => set("from", from)}
            />
          </Cell>
          <Cell label="Take">
            <Select
              label={`Which iteration output ${i + 1} takes`}
              value={typeof entry.take === "string" ? entry.take : String(takes?.fallback ?? "last")}
              options={(takes?.options ?? []).map((o) => ({
                value: o.value,
                label: o.label,
                title: o.help ?? undefined,
              }))}
              onChange={(take) => set("take", take)}
            />
          </Cell>
        </>
      )}
    />
  );
}

function Cell({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className={styles.cell}>
      <span>{label}</span>
      {children}
    </div>
  );
}
