// A folder: its path, and a button that chooses it in a dialog. The path of a chosen folder becomes relative
// if the folder is inside the one to which paths are relative.
import { IconButton } from "../../../components/Button";
import { classes } from "../../../components/classes";
import formStyles from "../../../components/Form.module.css";
import { TextField } from "../../../components/fields";
import { relativeRoot, useIsInWorkspace } from "../../../document/node-folder";
import { api, errorMessage } from "../../../ipc/client";
import { isAbsolute, seenFrom } from "../../../kernels/folder-paths";
import { useSession } from "../../../session/session";
import { asText, type WidgetProps } from "../widget-props";
import styles from "./Folder.module.css";

/** A loop's source is the user's own folder, so its path is never relative to a workspace. */
const SOURCE = "workspace.source";

export function FolderWidget(props: WidgetProps) {
  const { id, field, value, onChange, nodeId, place, invalid } = props;
  const node = place === SOURCE ? null : nodeId;
  const isOutside = useIsInWorkspace(node) && isAbsolute(asText(value));
  const describedBy = [props.describedBy, isOutside && `${id}-outside`].filter(Boolean).join(" ");
  const change = (folder: string) => onChange(folder === "" ? undefined : folder);
  const choose = async () => {
    try {
      const folder = await api().pickFolder();
      if (folder !== null) change(seenFrom(relativeRoot(node), folder));
    } catch (error) {
      useSession.getState().toast({
        tone: "error",
        title: "The folder dialog could not be opened",
        detail: errorMessage(error),
      });
    }
  };
  return (
    <span className={styles.folder}>
      <span className={styles.path}>
        <TextField
          wide
          mono
          id={id}
          describedBy={describedBy || undefined}
          invalid={invalid}
          value={asText(value)}
          placeholder={asText(field.fallback)}
          onChange={change}
        />
        <IconButton
          small
          icon="folder-open"
          size={13}
          label={`Choose ${field.title.toLowerCase()}`}
          onClick={() => void choose()}
        />
      </span>
      {isOutside && (
        <p className={classes(formStyles.hint, "hint", styles.outside)} id={`${id}-outside`}>
          This folder is not in the loop’s private copy. The step works in your own files.
        </p>
      )}
    </span>
  );
}
