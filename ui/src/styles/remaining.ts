// The stylesheets that are not modules yet. A file leaves this list when it becomes a module; nothing is added.
export const REMAINING: readonly string[] = [
  "inspector/SidePanel.css",
  "shell/App.css",
  "styles/features.css",
  "styles/shared.css",
  "trust/approval.css",
];
