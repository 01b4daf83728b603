// The test that ends a loop: by pickers where they have words for it, else as text. Both edit the one expression.
import { useId, useState } from "react";
import { Segmented } from "../../components/fields";
import { editData } from "../../document/document";
import { ConditionRows, NEW_ROW } from "../../inspector/condition/ConditionRows";
import { useConditionNames } from "../../inspector/condition/use-names";
import { FieldCode } from "../../inspector/form/code/FieldCode";
import { Preview } from "../../inspector/form/code/Preview";
import type { FlowNode, Json } from "../../ipc/generated/bindings";
import { type Condition, isComplete, readCondition, writeCondition } from "../../kernels/condition";

type Repeat = "while" | "until";
type Test = "before" | "after";
type Way = "pickers" | "text";

type Held = { readonly [field: string]: Json };

const isHeld = (value: Json): value is Held =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: Json): string => (typeof value === "string" ? value : "");

/** The condition as it is kept, in the parts that are edited here. */
export function partsOf(value: Json): { repeat: Repeat; test: Test; expression: string; held: Held } {
  const held = isHeld(value) ? value : {};
  const repeat = textOf(held.while) !== "" ? "while" : "until";
  return {
    held,
    repeat,
    test: held.test === "after" ? "after" : "before",
    expression: textOf(held[repeat]),
  };
}

/** The condition with its expression under the other word, which keeps what it says already. */
export function turned(value: Json, repeat: Repeat): Held {
  const { held, expression } = partsOf(value);
  const { while: _, until: __, ...rest } = held;
  return { ...rest, [repeat]: textOf(held[repeat]) || expression };
}

export function ConditionDetail({ node }: { node: FlowNode }) {
  const { held, repeat, test, expression } = partsOf(node.data.condition);
  const set = (condition: Held) => editData(node.id, "condition", condition, "Change the exit test");
  return (
    <div className="sub">
      <div className="form-row">
        <span>Repeat</span>
        <Segmented
          small
          label="Repeat"
          value={repeat}
          options={[
            { value: "while", label: "while", title: "Goes on as long as the test holds" },
            { value: "until", label: "until", title: "Ends as soon as the test holds" },
          ]}
          onChange={(value) => set(turned(node.data.condition, value))}
        />
      </div>
      <Expression
        node={node}
        test={test}
        expression={expression}
        place={`condition.${repeat}`}
        onChange={(text) => set({ ...held, [repeat]: text })}
      />
      <div className="form-row">
        <span>Check it</span>
        <Segmented
          small
          label="When the test is checked"
          value={test}
          options={[
            { value: "before", label: "before" },
            { value: "after", label: "after" },
          ]}
          onChange={(value) => set({ ...held, test: value })}
        />
      </div>
      <p className="hint">
        {test === "before"
          ? "Checked before each iteration, so the body may never run."
          : "Checked after each iteration, so the body runs at least once."}
      </p>
    </div>
  );
}

type ExpressionProps = {
  node: FlowNode;
  test: Test;
  expression: string;
  /** Where it stands in the node's data. */
  place: string;
  onChange(expression: string): void;
};

function Expression({ node, test, expression, place, onChange }: ExpressionProps) {
  const id = useId();
  const [way, setWay] = useState<Way>("pickers");
  const read = readCondition(expression);
  const shown: Way = read === null ? "text" : way;
  return (
    <div className="condition-mode" data-field="condition.until">
      <div className="form-row" data-field="condition.while">
        <label htmlFor={id}>Test</label>
        <Segmented<Way>
          small
          label="How the test is written"
          value={shown}
          options={[
            { value: "pickers", label: "Builder" },
            { value: "text", label: "Code" },
          ]}
          onChange={setWay}
        />
      </div>
      {shown === "pickers" && read !== null ? (
        <Pickers {...{ node, test, expression, place, read, onChange }} />
      ) : (
        <>
          <FieldCode
            language="expression"
            nodeId={node.id}
            place={place}
            id={id}
            label="Test"
            testId="condition-text"
            value={expression}
            placeholder="results | length >= 12"
            onChange={onChange}
          />
          {read === null && way === "pickers" && (
            <p className="hint" data-testid="only-text">
              The pickers have no words for this test, so it is kept and edited as text.
            </p>
          )}
        </>
      )}
      <Preview nodeId={node.id} place={place} value={expression} />
    </div>
  );
}

/** Rows that are not filled in yet are kept here: the expression has only the complete ones. */
function Pickers({ node, test, expression, read, onChange }: ExpressionProps & { read: Condition }) {
  const names = useConditionNames(node, test);
  const [draft, setDraft] = useState<{ condition: Condition; of: string } | null>(null);
  const kept = draft !== null && draft.of === expression ? draft.condition : read;
  const condition = kept.rows.length > 0 ? kept : { joined: kept.joined, rows: [NEW_ROW] };
  const open = condition.rows.filter((row) => !isComplete(row)).length;
  return (
    <>
      <ConditionRows
        condition={condition}
        names={names}
        onChange={(next) => {
          const written = writeCondition(next);
          setDraft({ condition: next, of: written });
          if (written !== expression) onChange(written);
        }}
      />
      <code className={`written${expression === "" ? " none" : ""}`} data-testid="condition-expression">
        {expression === "" ? "no test yet" : expression}
      </code>
      {open > 0 && expression !== "" && (
        <p className="hint">A test that is not filled in is left out of the expression.</p>
      )}
    </>
  );
}
