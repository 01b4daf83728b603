// The searchable topics of the settings, each with its section, for the page's search and the command
// palette.
import type { IconName } from "../../components/Icon";

export const SECTIONS = [
  { id: "providers", title: "Providers and keys", icon: "key-round" },
  { id: "runs", title: "Runs and limits", icon: "scale" },
  { id: "appearance", title: "Appearance", icon: "sun" },
  { id: "canvas", title: "Canvas", icon: "workflow" },
  { id: "keyboard", title: "Keyboard", icon: "keyboard" },
  { id: "tools", title: "MCP servers and tools", icon: "plug" },
  { id: "stores", title: "Shared stores", icon: "database" },
  { id: "allowed", title: "What is allowed", icon: "shield-check" },
  { id: "files", title: "Files and history", icon: "folder" },
  { id: "about", title: "About", icon: "info" },
] as const satisfies readonly { id: string; title: string; icon: IconName }[];

export type SectionId = (typeof SECTIONS)[number]["id"];

export interface Topic {
  section: SectionId;
  label: string;
  icon: IconName;
  /** Other words by which the search finds the topic. */
  words: string;
}

const topic = (section: SectionId, icon: IconName, label: string, words: string): Topic => ({
  section,
  label,
  icon,
  words,
});

export const settingsTopics: readonly Topic[] = [
  topic(
    "providers",
    "key-round",
    "Providers and keys",
    "api key model openai anthropic gemini ollama server",
  ),
  topic("providers", "cpu", "Default model", "provider model llm"),
  topic("runs", "coins", "Budget per run", "cost money dollars limit spend price"),
  topic(
    "runs",
    "rotate-ccw",
    "Retry failed model calls",
    "retries again error 429 500 overload rate limit backoff network",
  ),
  topic(
    "runs",
    "coffee",
    "Keep the computer awake",
    "sleep suspend idle inhibit power unattended overnight night caffeine",
  ),
  topic(
    "runs",
    "bell",
    "Notify me about runs",
    "notifications alert desktop message webhook email slack ntfy command finished done failed waiting",
  ),
  topic("runs", "coins", "Model prices", "cost money dollars tokens price table own"),
  topic("appearance", "sun", "Theme", "dark light colour color system appearance"),
  topic("appearance", "sun", "Reduce motion", "animation movement pulse transition accessibility"),
  topic("appearance", "sun", "More contrast", "high contrast readable edges accessibility"),
  topic("canvas", "map", "Minimap", "map canvas overview"),
  topic("canvas", "workflow", "Mouse wheel", "scroll pan zoom trackpad touchpad two fingers canvas"),
  topic("keyboard", "keyboard", "Keyboard shortcuts", "keys hotkeys bindings"),
  topic("tools", "plug", "MCP servers", "model context protocol server tools command stdio http look"),
  topic("tools", "globe", "Web search", "service searxng brave tavily search.web engine internet"),
  topic("tools", "globe", "Proxy", "http socks network tools"),
  topic("tools", "key-round", "Tool keys", "api key environment variable keychain secret"),
  topic("tools", "terminal", "Agents", "claude codex gemini runner command coding"),
  topic(
    "stores",
    "database",
    "Shared stores",
    "postgresql postgres database cluster workers batches machines",
  ),
  topic(
    "allowed",
    "shield-check",
    "What is allowed",
    "trust approve approved grants hosts folders revoke take back",
  ),
  topic("files", "folder", "Documents folder", "search granted directory collection"),
  topic("files", "history", "Space for past runs", "history storage disk space megabytes"),
  topic("files", "files", "Workspaces", "copies copy worktree sandbox clean up disk space apply folder git"),
  topic("files", "lock", "What goes where", "privacy keys files prompts sent"),
  topic("about", "info", "About Loopwright", "version licence tour"),
];
