// A menu under a button. Base UI handles keyboard, focus and position; a long menu gets a search field.

import { Combobox } from "@base-ui/react/combobox";
import { Menu as Base } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { classes } from "../components/classes";
import { Icon, type IconName } from "../components/Icon";
import menuListStyles from "../components/MenuList.module.css";
import { below, matches, usePopup } from "../components/popup";
import searchListStyles from "../components/SearchList.module.css";
import selectStyles from "../components/Select.module.css";
import { tip } from "../components/tip";
import styles from "./Menu.module.css";

/**
 * The number of entries above which a menu gets a search field. It is larger than that of lists, since
 * commands keep their names and positions and are easy to find.
 */
const MAX_ENTRIES = 12;

export interface MenuItem {
  id: string;
  label: string;
  icon?: IconName;
  hint?: string;
  /** The second line of the entry. */
  detail?: string;
  /** The title of the entry's group. Neighbouring entries with the same title form a group. */
  group?: string;
  /** Whether the entry is the current choice. */
  on?: boolean;
  disabled?: boolean;
  run: () => void;
}

interface MenuProps {
  label: string;
  className: string;
  /** The class of the box around the button. */
  boxClassName?: string;
  items: MenuItem[];
  /** The button's tooltip, if its label is not enough. */
  tooltip?: string;
  onOpen?(): void;
  /**
   * Whether the menu opens as soon as it is mounted. Needed if the press that opens the menu also creates it.
   */
  startsOpen?: boolean;
  children: ReactNode;
}

interface Group {
  /** A key that identifies the group. */
  value: string;
  title: string | undefined;
  items: MenuItem[];
}

function groupsOf(items: readonly MenuItem[]): Group[] {
  const groups: Group[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last && last.title === item.group) last.items.push(item);
    else groups.push({ value: String(groups.length), title: item.group, items: [item] });
  }
  return groups;
}

export function Menu(props: MenuProps) {
  const List = props.items.length > MAX_ENTRIES ? SearchedMenu : PlainMenu;
  return (
    <div className={classes(styles.menuBox, props.boxClassName)}>
      <List {...props} />
    </div>
  );
}

function Face({ item }: { item: MenuItem }) {
  return (
    <>
      {item.icon && <Icon name={item.icon} size={14} />}
      {item.detail === undefined ? (
        <span>{item.label}</span>
      ) : (
        <span className={selectStyles.optionText}>
          <span>{item.label}</span>
          <small>{item.detail}</small>
        </span>
      )}
      {item.hint && <kbd className={styles.keys}>{item.hint}</kbd>}
      {item.on && (
        <span className={styles.mark} role="img" aria-label="chosen">
          <Icon name="check" size={12} />
        </span>
      )}
    </>
  );
}

function PlainMenu({ label, className, items, tooltip, onOpen, startsOpen, children }: MenuProps) {
  const { button, ref, container, root, events, close } = usePopup(onOpen, startsOpen);
  return (
    <Base.Root {...root} modal={false}>
      <Base.Trigger ref={ref} className={className} aria-label={label} {...tip(tooltip)}>
        {children}
      </Base.Trigger>
      <Base.Portal container={container}>
        <Base.Positioner {...below} {...events} className={selectStyles.popupPlace}>
          <Base.Popup className={classes(menuListStyles.menu, styles.menu)} aria-label={label}>
            {groupsOf(items).map((group) => (
              <Base.Group key={group.value}>
                {group.title && (
                  <Base.GroupLabel className={selectStyles.selectTitle}>{group.title}</Base.GroupLabel>
                )}
                {group.items.map((item) => (
                  <Base.Item
                    key={item.id}
                    nativeButton
                    render={<button type="button" />}
                    className={item.detail === undefined ? undefined : styles.tall}
                    label={item.label}
                    disabled={item.disabled}
                    onClick={() => {
                      close();
                      // The focus moves to the button first. What the entry opens can then return the focus
                      // to it.
                      button?.focus();
                      item.run();
                    }}
                  >
                    <Face item={item} />
                  </Base.Item>
                ))}
              </Base.Group>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function SearchedMenu({ label, className, items, tooltip, onOpen, startsOpen, children }: MenuProps) {
  const { button, ref, container, root, events, close } = usePopup(onOpen, startsOpen);
  return (
    <Combobox.Root
      {...root}
      items={groupsOf(items)}
      value={null}
      autoHighlight
      filter={(item: MenuItem, query) => matches(query, item.label, item.detail, item.group)}
      onValueChange={(item: MenuItem | null) => {
        if (item === null) return;
        close();
        button?.focus();
        item.run();
      }}
    >
      <Combobox.Trigger ref={ref} type="button" className={className} aria-label={label} {...tip(tooltip)}>
        {children}
      </Combobox.Trigger>
      <Combobox.Portal container={container}>
        <Combobox.Positioner {...below} {...events} className={selectStyles.popupPlace}>
          <Combobox.Popup className={selectStyles.selectPopup}>
            <div className={searchListStyles.searchBox}>
              <Icon name="search" size={13} />
              <Combobox.Input placeholder="Search" aria-label={`Search: ${label}`} />
            </div>
            <Combobox.Empty className={selectStyles.selectEmpty}>Nothing matches.</Combobox.Empty>
            <Combobox.List className={selectStyles.selectList} aria-label={label}>
              {(group: Group) => (
                <Combobox.Group key={group.value} items={group.items}>
                  {group.title && (
                    <Combobox.GroupLabel className={selectStyles.selectTitle}>
                      {group.title}
                    </Combobox.GroupLabel>
                  )}
                  <Combobox.Collection>
                    {(item: MenuItem) => (
                      <Combobox.Item
                        key={item.id}
                        value={item}
                        disabled={item.disabled}
                        className={selectStyles.selectOption}
                        data-value={item.id}
                      >
                        <Face item={item} />
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
