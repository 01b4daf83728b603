// The form controls of the design, based on native elements for keyboard and screen reader support.

import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { classes } from "./classes";
import { controlAria as aria, type Common } from "./control";
import styles from "./Fields.module.css";
import { Icon } from "./Icon";
import { useReportInvalid } from "./invalid-fields";
import type { Choice } from "./Select";
import { tip } from "./tip";

/** A row of buttons of which one is active. Arrow keys change the choice, as in any radio group. */
export function Segmented<T extends string>({
  value,
  options,
  onChange,
  full,
  small,
  label,
  describedBy,
}: {
  value: T;
  options: readonly Choice<T>[];
  onChange(value: T): void;
  full?: boolean;
  small?: boolean;
  label: string;
  describedBy?: string;
}) {
  const group = useRef<HTMLDivElement>(null);
  const move = (by: number) => {
    const at = options.findIndex((o) => o.value === value);
    const next = options[(at + by + options.length) % options.length];
    if (!next) return;
    onChange(next.value);
    group.current?.querySelectorAll("button")[options.indexOf(next)]?.focus();
  };
  return (
    <div
      ref={group}
      className={classes(styles.segmented, "segmented", full && styles.full, small && styles.sm)}
      role="radiogroup"
      aria-label={label}
      aria-describedby={describedBy}
      onKeyDown={(e) => {
        const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
        if (by === undefined) return;
        e.preventDefault();
        move(by);
      }}
    >
      {options.map((o) => (
        // biome-ignore lint/a11y/useSemanticElements: a styled radio group with roving focus, per the ARIA pattern.
        <button
          key={o.value}
          type="button"
          role="radio"
          aria-checked={o.value === value}
          tabIndex={o.value === value ? 0 : -1}
          {...tip(o.title)}
          onClick={() => onChange(o.value)}
        >
          {o.label}
        </button>
      ))}
    </div>
  );
}

export function Switch({ on, onChange, ...common }: Common & { on: boolean; onChange(on: boolean): void }) {
  return (
    <button
      type="button"
      id={common.id}
      data-testid={common.testId}
      role="switch"
      aria-checked={on}
      className={styles.switch}
      onClick={() => onChange(!on)}
      {...aria(common)}
    />
  );
}

/**
 * A number field that keeps the typed text. While the text is invalid, the field is marked and the last valid
 * value applies. An empty field means that no value is set.
 */
export function NumberField({
  value,
  onChange,
  unit,
  placeholder,
  minimum,
  maximum,
  whole,
  wide,
  ...common
}: Common & {
  value: number | null;
  onChange(value: number | null): void;
  unit?: ReactNode;
  placeholder?: string;
  minimum?: number | null;
  maximum?: number | null;
  whole?: boolean;
  wide?: boolean;
}) {
  const [draft, setDraft] = useState<string | null>(null);
  const read = (text: string): number | null | undefined => {
    if (text.trim() === "") return null;
    const n = Number(text.replace(",", "."));
    if (!Number.isFinite(n) || (whole && !Number.isInteger(n))) return undefined;
    return (typeof minimum === "number" && n < minimum) || (typeof maximum === "number" && n > maximum)
      ? undefined
      : n;
  };
  const wrong = draft !== null && read(draft) === undefined;
  return (
    <span
      className={classes(
        styles.field,
        "field",
        styles.native,
        "native",
        wide && styles.wideControl,
        wide && "wide-control",
        (wrong || common.invalid) && styles.bad,
      )}
    >
      <input
        id={common.id}
        data-testid={common.testId}
        inputMode="decimal"
        value={draft ?? (value === null ? "" : String(value))}
        placeholder={placeholder}
        onChange={(e) => {
          setDraft(e.target.value);
          const next = read(e.target.value);
          if (next !== undefined) onChange(next);
        }}
        onBlur={() => {
          if (!wrong) setDraft(null);
        }}
        {...aria({ ...common, invalid: wrong || common.invalid })}
      />
      {unit && <i>{unit}</i>}
      {wrong && <WhyNot text={rangeText(minimum, maximum, whole)} />}
    </span>
  );
}

function rangeText(minimum?: number | null, maximum?: number | null, whole?: boolean): string {
  const kind = whole ? "a whole number" : "a number";
  if (typeof minimum === "number" && typeof maximum === "number")
    return `Enter ${kind} from ${minimum} to ${maximum}.`;
  if (typeof minimum === "number") return `Enter ${kind} of at least ${minimum}.`;
  return `Enter ${kind}.`;
}

export function Stepper({
  value,
  onChange,
  minimum,
  maximum,
  placeholder,
  name,
  className,
  ...common
}: Common & {
  value: number | null;
  onChange(value: number | null): void;
  minimum?: number | null;
  maximum?: number | null;
  /** The default, shown if there is no value. */
  placeholder?: number | null;
  name: string;
  className?: string;
}) {
  const current = value ?? placeholder ?? minimum ?? 0;
  const low = minimum ?? Number.NEGATIVE_INFINITY;
  const high = maximum ?? Number.POSITIVE_INFINITY;
  const step = (by: number) => onChange(Math.min(high, Math.max(low, current + by)));
  const [draft, setDraft] = useState<string | null>(null);
  const wrong = draft !== null && draft.trim() !== "" && !isWhole(draft, low, high);
  return (
    <span
      className={classes(
        styles.stepper,
        "stepper",
        styles.native,
        "native",
        (wrong || common.invalid) && styles.bad,
        className,
      )}
    >
      <button
        type="button"
        aria-label={`Decrease ${name}`}
        disabled={current <= low}
        onClick={() => step(-1)}
      >
        <Icon name="minus" size={11} />
      </button>
      <input
        id={common.id}
        data-testid={common.testId}
        inputMode="numeric"
        role="spinbutton"
        aria-valuenow={current}
        aria-valuemin={minimum ?? undefined}
        aria-valuemax={maximum ?? undefined}
        value={draft ?? (value === null ? "" : String(value))}
        placeholder={placeholder === null || placeholder === undefined ? "" : String(placeholder)}
        onChange={(e) => {
          setDraft(e.target.value);
          if (e.target.value.trim() === "") onChange(null);
          else if (isWhole(e.target.value, low, high)) onChange(Number(e.target.value));
        }}
        onBlur={() => {
          if (!wrong) setDraft(null);
        }}
        onKeyDown={(e) => {
          if (e.key !== "ArrowUp" && e.key !== "ArrowDown") return;
          e.preventDefault();
          setDraft(null);
          step(e.key === "ArrowUp" ? 1 : -1);
        }}
        {...aria({ ...common, invalid: wrong || common.invalid })}
      />
      <button
        type="button"
        aria-label={`Increase ${name}`}
        disabled={current >= high}
        onClick={() => step(1)}
      >
        <Icon name="plus" size={11} />
      </button>
      {wrong && <WhyNot text={rangeText(minimum, maximum, true)} />}
    </span>
  );
}

/** Shows, below a field, why its text is not accepted. */
export function WhyNot({ text }: { text: string }) {
  useReportInvalid(true);
  return (
    <em className={styles.disabledReason} role="alert">
      {text} Not applied.
    </em>
  );
}

function isWhole(text: string, low: number, high: number): boolean {
  const n = Number(text);
  return text.trim() !== "" && Number.isInteger(n) && n >= low && n <= high;
}

export function TextField({
  value,
  onChange,
  onFocus,
  placeholder,
  mono,
  wide,
  bare,
  maxLength,
  type = "text",
  className,
  ...common
}: Common & {
  value: string;
  onChange(value: string): void;
  onFocus?(): void;
  placeholder?: string;
  mono?: boolean;
  wide?: boolean;
  /** Whether to omit the border and the background, for use inside a box that already has them. */
  bare?: boolean;
  maxLength?: number;
  type?: "text" | "search" | "password" | "url";
  className?: string;
}) {
  return (
    <span
      className={classes(
        styles.field,
        "field",
        styles.native,
        "native",
        bare && styles.bare,
        wide && styles.wideControl,
        wide && "wide-control",
        common.invalid && styles.bad,
        className,
      )}
    >
      <input
        id={common.id}
        data-testid={common.testId}
        type={type}
        className={mono ? "mono" : undefined}
        value={value}
        placeholder={placeholder}
        maxLength={maxLength}
        spellCheck={mono ? false : undefined}
        onChange={(e) => onChange(e.target.value)}
        onFocus={onFocus}
        {...aria(common)}
      />
    </span>
  );
}

/** A text area as tall as its text, with a minimum and a maximum height. */
export function TextArea({
  value,
  onChange,
  onKeyDown,
  placeholder,
  mono,
  rows = 3,
  ...common
}: Common & {
  value: string;
  onChange(value: string): void;
  onKeyDown?(event: KeyboardEvent<HTMLTextAreaElement>): void;
  placeholder?: string;
  mono?: boolean;
  rows?: number;
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text.
  useEffect(() => {
    const element = area.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight + 2, 320)}px`;
  }, [value]);
  return (
    <textarea
      ref={area}
      id={common.id}
      data-testid={common.testId}
      className={classes(
        styles.textarea,
        "textarea",
        mono && "mono",
        mono && styles.code,
        common.invalid && styles.bad,
      )}
      rows={rows}
      value={value}
      placeholder={placeholder}
      spellCheck={mono ? false : undefined}
      onChange={(e) => onChange(e.target.value)}
      onKeyDown={onKeyDown}
      {...aria(common)}
    />
  );
}
