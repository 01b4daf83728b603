// A menu under a button. Base UI does keyboard, focus and position; a long one gets a search field.
import { Combobox } from "@base-ui/react/combobox";
import { Menu as Base } from "@base-ui/react/menu";
import type { ReactNode } from "react";
import { Icon, type IconName } from "../components/Icon";
import { below, usePopup } from "../components/popup";
import { MAX_WITHOUT_SEARCH } from "../components/Select";
import { tip } from "../components/tip";

export interface MenuItem {
  id: string;
  label: string;
  icon?: IconName;
  hint?: string;
  disabled?: boolean;
  run: () => void;
}

interface MenuProps {
  label: string;
  className: string;
  items: MenuItem[];
  /** What the button's tooltip says, where its words do not say enough. */
  tooltip?: string;
  children: ReactNode;
}

export function Menu(props: MenuProps) {
  const List = props.items.length > MAX_WITHOUT_SEARCH ? SearchedMenu : PlainMenu;
  return (
    <div className="menu-box">
      <List {...props} />
    </div>
  );
}

function Face({ item }: { item: MenuItem }) {
  return (
    <>
      {item.icon && <Icon name={item.icon} size={14} />}
      <span>{item.label}</span>
      {item.hint && <kbd>{item.hint}</kbd>}
    </>
  );
}

function PlainMenu({ label, className, items, tooltip, children }: MenuProps) {
  const { button, ref, container, root, events, close } = usePopup();
  return (
    <Base.Root {...root} modal={false}>
      <Base.Trigger ref={ref} className={className} aria-label={label} {...tip(tooltip)}>
        {children}
      </Base.Trigger>
      <Base.Portal container={container}>
        <Base.Positioner {...below} {...events} className="popup-place">
          <Base.Popup className="menu" aria-label={label}>
            {items.map((item) => (
              <Base.Item
                key={item.id}
                nativeButton
                render={<button type="button" />}
                label={item.label}
                disabled={item.disabled}
                onClick={() => {
                  close();
                  // First: what the item opens gives the focus back to where it was.
                  button?.focus();
                  item.run();
                }}
              >
                <Face item={item} />
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function SearchedMenu({ label, className, items, tooltip, children }: MenuProps) {
  const { button, ref, container, root, events, close } = usePopup();
  return (
    <Combobox.Root
      {...root}
      items={items}
      value={null}
      autoHighlight
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
        <Combobox.Positioner {...below} {...events} className="popup-place">
          <Combobox.Popup className="select-popup">
            <div className="search-box">
              <Icon name="search" size={13} />
              <Combobox.Input placeholder="Search" aria-label={`Search: ${label}`} />
            </div>
            <Combobox.Empty className="select-empty">Nothing matches.</Combobox.Empty>
            <Combobox.List className="select-list" aria-label={label}>
              {(item: MenuItem) => (
                <Combobox.Item
                  key={item.id}
                  value={item}
                  disabled={item.disabled}
                  className="select-option"
                  data-value={item.id}
                >
                  <Face item={item} />
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
