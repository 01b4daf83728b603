// That of what is shown more is to come, or why it does not.
import { Message } from "../../components/Message";
import { useSlow } from "../../components/Skeletons";
import type { Loaded } from "../../runs/view/step-detail";

/** Says of texts that are shown in part that the rest is on its way, where that takes long, or why it does not come. */
export function StillReading({ of }: { of: readonly Loaded[] }) {
  const slow = useSlow(of.some((one) => one.state === "loading"));
  const failed = of.find((one) => one.state === "failed");
  if (failed?.state === "failed") {
    return (
      <p className="tab-note text-error" role="alert">
        Only the beginning is shown, the rest could not be read. <Message text={failed.message} />
      </p>
    );
  }
  return slow ? (
    <p className="tab-note" role="status">
      Reading the rest of the text…
    </p>
  ) : null;
}
