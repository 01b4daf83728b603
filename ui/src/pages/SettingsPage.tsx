// Providers, models, budget, theme.
export function SettingsPage() {
  return <main className="main" aria-label="Settings" />;
}
