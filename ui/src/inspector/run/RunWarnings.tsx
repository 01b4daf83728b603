// The warnings of a run, with links to the settings.
import { Button } from "../../components/Button";
import { classes } from "../../components/classes";
import { Icon } from "../../components/Icon";
import { Message } from "../../components/Message";
import messageStyles from "../../components/RunMessage.module.css";
import { tip } from "../../components/tip";
import type { Warning } from "../../ipc/generated/bindings";
import { shownWarnings } from "../../runs/fold/warnings";
import { setUpActions } from "../../runs/inputs/set-up";

export function RunWarnings({ warnings, wide }: { warnings: readonly Warning[]; wide?: boolean }) {
  return shownWarnings(warnings).map(({ code, message, nodes }) => (
    <div
      className={classes(messageStyles.message, messageStyles.warn, wide && messageStyles.wide)}
      key={`${code}:${message}`}
      {...tip(nodes.length > 1 ? `At ${nodes.join(", ")}` : undefined)}
    >
      <Icon name="triangle-alert" />
      <span>
        <Message text={message} />
      </span>
      {setUpActions(code).map(({ label, run }) => (
        <Button small key={label} onClick={run}>
          {label}
        </Button>
      ))}
    </div>
  ));
}
