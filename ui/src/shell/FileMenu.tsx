// The file's name with a menu of file actions.

import { commandById } from "../commands";
import { isPossible } from "../commands/command";
import { hintOf } from "../commands/keyboard";
import { classes } from "../components/classes";
import fileButtonStyles from "../components/FileButton.module.css";
import { Icon } from "../components/Icon";
import marksStyles from "../components/Marks.module.css";
import { tip } from "../components/tip";
import { Menu } from "./Menu";

const entries = [
  "file.new",
  "file.open",
  "file.openRepository",
  "file.import",
  "file.save",
  "file.saveAs",
  "file.exportLanggraph",
  "canvas.exportPng",
  "canvas.exportSvg",
  "tab.close",
];

export function FileMenu({ title, dirty }: { title: string; dirty: boolean }) {
  const items = entries.map((id) => {
    const command = commandById(id);
    return {
      id,
      label: command.label,
      icon: command.icon,
      hint: hintOf(command),
      disabled: !isPossible(command),
      run: () => void command.run(),
    };
  });
  return (
    <Menu
      label={`File: ${title}${dirty ? ", unsaved changes" : ""}`}
      className={classes(fileButtonStyles.fileButton)}
      items={items}
    >
      <Icon name="file-json" size={14} />
      <b>{title}</b>
      {dirty && (
        <i
          className={marksStyles.dirty}
          role="img"
          aria-label="Unsaved changes"
          {...tip("Unsaved changes")}
        />
      )}
      <Icon name="chevron-down" size={12} />
    </Menu>
  );
}
