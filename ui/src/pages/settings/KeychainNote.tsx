// What is wrong with the system's keychain, said once and shortly; the system's own words are there for who asks.
import { Icon } from "../../components/Icon";
import { tip } from "../../components/tip";
import { useProviders } from "../../runs/inputs/providers";

export function KeychainNote() {
  const trouble = useProviders((s) => s.keychain);
  if (trouble === null) return null;
  return (
    <p className="keychain-note" role="status" data-testid="keychain-note">
      <Icon name="triangle-alert" size={14} />
      <span {...tip(trouble.detail)}>{trouble.says}</span>
    </p>
  );
}
