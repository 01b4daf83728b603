// A drop-down list drawn by the app. A native list uses another font, hides the options' descriptions and
// cannot be searched. Base UI handles keyboard, focus, position and ARIA.

import { Combobox } from "@base-ui/react/combobox";
import { Select as Base } from "@base-ui/react/select";
import { type KeyboardEvent, useRef, useState } from "react";
import { classes } from "./classes";
import { type Common, controlAria } from "./control";
import fieldsStyles from "./Fields.module.css";
import { Icon } from "./Icon";
import { below, matches, usePopup } from "./popup";
import searchListStyles from "./SearchList.module.css";
import styles from "./Select.module.css";

export type Choice<T extends string = string> = { value: T; label: string; title?: string };
type Group<T extends string> = { title: string; options: readonly Choice<T>[] };

/** The number of options above which a list gets a search field. */
export const MAX_WITHOUT_SEARCH = 8;

/** The maximum number of options drawn. A search finds the remaining ones. */
const MAX_SHOWN = 300;

export interface SelectProps<T extends string> extends Common {
  value: T;
  /** The options listed before the groups. */
  lead?: readonly Choice<T>[];
  options: readonly Choice<T>[];
  /** Further options in titled groups. */
  groups?: readonly Group<T>[];
  onChange(value: T): void;
  /** Returns the element to focus after a choice, instead of the button. */
  focusAfter?: () => HTMLElement | null | undefined;
  wide?: boolean;
  className?: string;
  disabled?: boolean;
}

type Sections<T extends string> = readonly { title: string | null; options: readonly Choice<T>[] }[];

interface ListProps<T extends string> extends SelectProps<T> {
  sections: Sections<T>;
  chosen: Choice<T> | undefined;
}

export function Select<T extends string>(props: SelectProps<T>) {
  const { lead = [], groups = [], options, value } = props;
  const sections: Sections<T> = [{ title: null, options: lead }, ...groups, { title: null, options }].filter(
    (section) => section.options.length > 0,
  );
  const all = sections.flatMap((section) => section.options);
  const chosen = all.find((choice) => choice.value === value);
  const List = all.length > MAX_WITHOUT_SEARCH ? SearchedList : PlainList;
  return <List {...props} sections={sections} chosen={chosen} />;
}

/**
 * Returns the handlers of a list that move the focus after a choice: to the element that `focusAfter`
 * returns, otherwise to the button.
 */
function useFocusAfter<T extends string>({ onChange, focusAfter }: ListProps<T>) {
  const hasChosen = useRef(false);
  return {
    choose: (value: T) => {
      hasChosen.current = true;
      onChange(value);
    },
    finalFocus: () => {
      const target = hasChosen.current ? focusAfter?.() : null;
      hasChosen.current = false;
      return target ?? true;
    },
  };
}

const triggerOf = <T extends string>(props: ListProps<T>) => ({
  id: props.id,
  type: "button" as const,
  className: classes(
    fieldsStyles.control,
    styles.select,
    "select",
    props.wide && fieldsStyles.wideControl,
    props.wide && "wide-control",
    props.className && props.className,
  ),
  disabled: props.disabled,
  "data-testid": props.testId,
  "data-value": props.value,
  ...controlAria(props),
});

function Face({ label }: { label: string }) {
  return (
    <>
      <span>{label}</span>
      <Icon name="chevron-down" size={12} />
    </>
  );
}

function Option({ choice, isChosen }: { choice: Choice; isChosen: boolean }) {
  return (
    <>
      <span className={styles.optionText}>
        <span>{choice.label}</span>
        {choice.title && <small>{choice.title}</small>}
      </span>
      {isChosen && <Icon name="check" size={12} />}
    </>
  );
}

function PlainList<T extends string>(props: ListProps<T>) {
  const { sections, chosen, value } = props;
  const { ref, container, root, events } = usePopup();
  const { choose, finalFocus } = useFocusAfter(props);
  return (
    <Base.Root
      {...root}
      value={value}
      modal={false}
      disabled={props.disabled}
      // Base UI also reports a value when the chosen option leaves the list, which is not a choice by the
      // user.
      onValueChange={(next, { reason }) => reason === "item-press" && choose(next as T)}
    >
      <Base.Trigger ref={ref} {...triggerOf(props)}>
        <Face label={chosen?.label ?? value} />
      </Base.Trigger>
      <Base.Portal container={container}>
        <Base.Positioner {...below} {...events} className={styles.popupPlace} alignItemWithTrigger={false}>
          <Base.Popup className={styles.selectPopup} finalFocus={finalFocus}>
            <Base.List className={styles.selectList}>
              {sections.map(({ title, options }, i) => (
                <Base.Group key={title ?? i}>
                  {title !== null && (
                    <Base.GroupLabel className={styles.selectTitle}>{title}</Base.GroupLabel>
                  )}
                  {options.map((choice) => (
                    <Base.Item
                      key={choice.value}
                      value={choice.value}
                      label={choice.label}
                      className={classes(styles.selectOption, "select-option")}
                      data-value={choice.value}
                    >
                      <Option choice={choice} isChosen={choice.value === value} />
                    </Base.Item>
                  ))}
                </Base.Group>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function SearchedList<T extends string>(props: ListProps<T>) {
  const { sections, chosen, value } = props;
  const { ref, container, root, events } = usePopup();
  const { choose, finalFocus } = useFocusAfter(props);
  const [query, setQuery] = useState("");
  // A letter typed on the closed list starts a search, as in native lists.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.trim().length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (!root.open) root.onOpenChange(true);
    // Letters typed before the search field has the focus are also part of the query.
    setQuery((before) => (root.open ? before + event.key : event.key));
  };
  const items = sections.map(({ title, options }, i) => ({
    value: title ?? String(i),
    title,
    items: options,
  }));
  return (
    <Combobox.Root
      open={root.open}
      onOpenChange={(next) => {
        root.onOpenChange(next);
        if (!next) setQuery("");
      }}
      inputValue={query}
      onInputValueChange={setQuery}
      items={items}
      value={chosen ?? null}
      disabled={props.disabled}
      isItemEqualToValue={(one: Choice<T>, other: Choice<T>) => one.value === other.value}
      autoHighlight
      limit={MAX_SHOWN}
      filter={(choice: Choice<T>, query) => matches(query, choice.label, choice.title)}
      onValueChange={(next: Choice<T> | null, { reason }) =>
        next && reason === "item-press" && choose(next.value)
      }
    >
      <Combobox.Trigger ref={ref} {...triggerOf(props)} onKeyDown={onKeyDown}>
        <Face label={chosen?.label ?? value} />
      </Combobox.Trigger>
      <Combobox.Portal container={container}>
        <Combobox.Positioner {...below} {...events} className={styles.popupPlace}>
          <Combobox.Popup className={styles.selectPopup} finalFocus={finalFocus}>
            <div className={classes(searchListStyles.searchBox, "search-box")}>
              <Icon name="search" size={13} />
              <Combobox.Input placeholder="Search" aria-label={`Search ${props.label ?? "options"}`} />
            </div>
            <Combobox.Empty className={styles.selectEmpty}>Nothing matches.</Combobox.Empty>
            <Combobox.List className={styles.selectList}>
              {(section: (typeof items)[number]) => (
                <Combobox.Group key={section.value} items={section.items}>
                  {section.title !== null && (
                    <Combobox.GroupLabel className={styles.selectTitle}>{section.title}</Combobox.GroupLabel>
                  )}
                  <Combobox.Collection>
                    {(choice: Choice<T>) => (
                      <Combobox.Item
                        key={choice.value}
                        value={choice}
                        className={classes(styles.selectOption, "select-option")}
                        data-value={choice.value}
                      >
                        <Option choice={choice} isChosen={choice.value === value} />
                      </Combobox.Item>
                    )}
                  </Combobox.Collection>
                </Combobox.Group>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
