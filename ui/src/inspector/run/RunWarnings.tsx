// The warnings of a run, with links to the settings.
import { Button } from "../../components/Button";
import { Icon } from "../../components/Icon";
import { Message } from "../../components/Message";
import { tip } from "../../components/tip";
import type { Warning } from "../../ipc/generated/bindings";
import { shownWarnings } from "../../runs/fold/warnings";
import { setUpActions } from "../../runs/inputs/set-up";

export function RunWarnings({ warnings, wide }: { warnings: readonly Warning[]; wide?: boolean }) {
  return shownWarnings(warnings).map(({ code, message, nodes }) => (
    <div
      className={`run-message warn${wide ? " wide-block" : ""}`}
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
