// Widgets for lists: a router's branches, a node's extra input handles.

import { useEffect, useRef } from "react";
import { Button, IconButton } from "../../../components/Button";
import formStyles from "../../../components/Form.module.css";
import formListsStyles from "../../../components/FormLists.module.css";
import { TextArea, TextField } from "../../../components/fields";
import type { Json } from "../../../ipc/generated/bindings";
import { testIds } from "../../../testids";
import { ConditionField } from "../../condition/ConditionField";
import { useNamesInScope } from "../../condition/use-names";
import { FieldCode } from "../code/FieldCode";
import { Preview } from "../code/Preview";
import { asText, type WidgetProps } from "../widget-props";
import codeStyles from "./CodeWidget.module.css";
import styles from "./Lists.module.css";

type Entry = Record<string, Json>;

const asList = (value: Json): Json[] => (Array.isArray(value) ? value : []);
const isEntry = (value: Json): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function replaced(list: Json[], at: number, value: Json): Json[] {
  return list.map((v, i) => (i === at ? value : v));
}

/** Returns a name that is not yet taken: "branch2", "branch3". */
export function freeName(taken: string[], stem: string): string {
  let n = taken.length + 1;
  while (taken.includes(`${stem}${n}`)) n += 1;
  return `${stem}${n}`;
}

type WhenProps = { branch: string; value: string; place: string; onChange(when: string): void };

/** Edits the test of a branch with pickers or as code, with the names available in it. */
function BranchTest({ nodeId, scope, ...when }: WhenProps & { nodeId: string; scope: string }) {
  const { branch, value, place, onChange } = when;
  const names = useNamesInScope(nodeId, scope);
  return (
    <ConditionField
      nodeId={nodeId}
      names={names}
      expression={value}
      place={place}
      title={`When ${branch} is taken`}
      placeholder="input.score >= 8"
      onChange={onChange}
    />
  );
}

/** Edits the test of a branch of an unknown node, for which no names are available. */
function BranchCode({ branch, value, place, onChange }: WhenProps) {
  return (
    <div className={codeStyles.code} data-field={place}>
      <FieldCode
        language="expression"
        nodeId={null}
        place={place}
        label={`When ${branch} is taken`}
        placeholder="when: input.score >= 8"
        value={value}
        onChange={onChange}
      />
    </div>
  );
}

/** The field that a branch has besides its name, depending on the mode. */
const OF_MODE = { rules: "when", llm: "description" } as const;
const PLURAL = { when: "rules", description: "descriptions" } as const;
type Beside = keyof typeof PLURAL;

const filled = (branch: Json, field: Beside): boolean =>
  isEntry(branch) && asText(branch[field]).trim() !== "";

/**
 * Edits branches as names, each with a condition if rules decide, or a description if a model decides. Other
 * fields of an entry are kept.
 */
export function BranchesWidget({ value, onChange, field, data, nodeId, place }: WidgetProps) {
  const list = asList(value ?? field.fallback);
  const names = list.map((b) => (isEntry(b) ? asText(b.name) : asText(b)));
  const mode = asText(data.mode ?? "rules");
  const beside: Beside | null = mode === "rules" || mode === "llm" ? OF_MODE[mode] : null;
  const unused = Object.values(OF_MODE).filter(
    (other) => other !== beside && list.some((branch) => filled(branch, other)),
  );
  const rename = (i: number, name: string) =>
    onChange(replaced(list, i, isEntry(list[i]) ? { ...list[i], name } : name));
  const set = (i: number, what: Beside, text: string) => {
    const entry: Entry = isEntry(list[i]) ? { ...list[i] } : { name: names[i] };
    if (text === "") delete entry[what];
    else entry[what] = text;
    onChange(replaced(list, i, entry));
  };
  const testOf = (branch: Json, i: number) => {
    const props: WhenProps = {
      branch: names[i] ?? "",
      value: isEntry(branch) ? asText(branch.when) : "",
      place: `${place}[${i}].when`,
      onChange: (when) => set(i, "when", when),
    };
    if (nodeId === null) return <BranchCode {...props} />;
    return <BranchTest {...props} nodeId={nodeId} scope={`${place}[0].when`} />;
  };
  return (
    <div className={formListsStyles.listed}>
      {list.map((branch, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a branch is identified by its index, since its name changes while typing.
        <div className={styles.entry} data-entry="" key={i}>
          <TextField label={`Branch ${i + 1}`} value={names[i] ?? ""} onChange={(name) => rename(i, name)} />
          <IconButton
            icon="x"
            size={13}
            small
            label={`Remove branch ${names[i]}`}
            onClick={() => onChange(list.filter((_, j) => j !== i))}
          />
          {beside === "when" && <div className={styles.branch}>{testOf(branch, i)}</div>}
          {beside === "description" && (
            <div className={styles.branch} data-field={`${place}[${i}].description`}>
              <span className={formStyles.hint}>Choose this when…</span>
              <TextArea
                label={`Choose ${names[i]} when`}
                placeholder="the draft names every source"
                rows={2}
                value={isEntry(branch) ? asText(branch.description) : ""}
                onChange={(text) => set(i, "description", text)}
              />
            </div>
          )}
        </div>
      ))}
      <Button small icon="plus" onClick={() => onChange([...list, freeName(names, "branch")])}>
        Add branch
      </Button>
      {unused.map((what) => (
        <p className={formStyles.hint} key={what} data-testid={`unused-${what}`}>
          The {PLURAL[what]} of these branches are not used in this mode.
        </p>
      ))}
    </div>
  );
}

/**
 * Edits an ordered list of templates, such as a program's arguments. Each entry is one argument, whatever it
 * contains, and may be empty.
 */
export function TemplatesWidget({ value, onChange, field, nodeId, place }: WidgetProps) {
  const list = asList(value ?? field.fallback);
  return (
    <div className={formListsStyles.listed}>
      {list.map((template, i) => {
        const at = `${place}[${i}]`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an argument is identified by its index, since its text changes while typing.
          <div className={styles.entry} data-entry="" key={i} data-field={at}>
            <div className={codeStyles.code}>
              <FieldCode
                language="template"
                rows={1}
                nodeId={nodeId}
                place={at}
                label={`${field.title} ${i + 1}`}
                placeholder="empty"
                value={asText(template)}
                onChange={(text) => onChange(replaced(list, i, text))}
              />
              {nodeId !== null && <Preview nodeId={nodeId} place={at} value={template} />}
            </div>
            <IconButton
              icon="x"
              size={13}
              small
              label={`Remove ${field.title} ${i + 1}`}
              onClick={() => {
                const rest = list.filter((_, j) => j !== i);
                onChange(rest.length > 0 ? rest : undefined);
              }}
            />
          </div>
        );
      })}
      <Button small icon="plus" data-testid={testIds.addEntry} onClick={() => onChange([...list, ""])}>
        Add
      </Button>
    </div>
  );
}

export function HandlesWidget({ value, onChange, field }: WidgetProps) {
  const list = asList(value ?? field.fallback).map(asText);
  const box = useRef<HTMLDivElement>(null);
  const added = useRef(false);
  // A newly added name is selected, so that typing replaces it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the number of entries changes.
  useEffect(() => {
    if (!added.current) return;
    added.current = false;
    const last = [...(box.current?.querySelectorAll("input") ?? [])].at(-1);
    last?.focus();
    last?.select();
  }, [list.length]);
  const add = () => {
    added.current = true;
    onChange([...list, freeName(list, "input")]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in one of its fields adds the next one.
    <div
      className={formListsStyles.listed}
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        add();
      }}
    >
      {list.map((name, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a handle is identified by its index, since its name changes while typing.
        <div className={styles.entry} data-entry="" key={i}>
          <TextField
            mono
            label={`${field.title} ${i + 1}`}
            value={name}
            onChange={(v) => onChange(replaced(list, i, v))}
          />
          <IconButton
            icon="x"
            size={13}
            small
            label={`Remove ${name}`}
            onClick={() => {
              const rest = list.filter((_, j) => j !== i);
              onChange(rest.length > 0 ? rest : undefined);
            }}
          />
        </div>
      ))}
      <Button small icon="plus" data-testid={testIds.addEntry} onClick={add}>
        Add
      </Button>
    </div>
  );
}
