// A template's text with its variables marked, and the names that can stand in it.
import { useRef } from "react";
import { useShallow } from "zustand/react/shallow";
import { useHandles, useNodeAnalysis } from "../../../document/analysis";
import { useDocument, useFlowNode } from "../../../document/document";
import { asText, type WidgetProps } from "../widget-props";

const PARTS = /(\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\})/gs;

/** The text again, behind the text area, with a ground under each variable. Same font, same wrapping. */
function Marked({ text }: { text: string }) {
  const parts = text.split(PARTS);
  return (
    <div className="tpl-back mono" aria-hidden="true">
      {parts.map((part, i) =>
        i % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity but their place.
          <mark key={i}>{part}</mark>
        ) : (
          part
        ),
      )}
      {"\n"}
    </div>
  );
}

export function TemplateWidget({ id, field, value, onChange, describedBy, invalid, nodeId }: WidgetProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const text = asText(value);
  const insert = (name: string) => {
    const element = area.current;
    const at = element?.selectionStart ?? text.length;
    const end = element?.selectionEnd ?? at;
    const piece = `{{ ${name} }}`;
    onChange(text.slice(0, at) + piece + text.slice(end));
    requestAnimationFrame(() => {
      element?.focus();
      element?.setSelectionRange(at + piece.length, at + piece.length);
    });
  };
  return (
    <div className="tpl-wrap">
      <div className={`tpl${invalid ? " bad" : ""}`}>
        <Marked text={text} />
        <textarea
          ref={area}
          id={id}
          className="mono"
          spellCheck={false}
          value={text}
          placeholder={asText(field.fallback)}
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          onChange={(e) => onChange(e.target.value === "" ? undefined : e.target.value)}
        />
      </div>
      {nodeId && <Names nodeId={nodeId} onPick={insert} />}
    </div>
  );
}

function Names({ nodeId, onPick }: { nodeId: string; onPick(name: string): void }) {
  const type = useFlowNode(nodeId)?.type ?? "";
  const { inputs } = useHandles(nodeId, type);
  const region = useNodeAnalysis(nodeId)?.region ?? null;
  const wired = useDocument(
    useShallow((s) => s.document.edges.filter((e) => e.target === nodeId).map((e) => e.targetHandle ?? null)),
  );
  // A handle without a wire has no value to write.
  const names = inputs
    .filter((h) => wired.includes(h.name) || (h.primary && wired.includes(null)))
    .map((h) => (h.primary ? "input" : h.name));
  if (region !== null) names.push("loopCount", "loopResult");
  if (names.length === 0) return null;
  return (
    <fieldset className="vars" aria-label="Insert a variable">
      {[...new Set(names)].map((name) => (
        <button key={name} type="button" title={`Insert {{ ${name} }}`} onClick={() => onPick(name)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}
