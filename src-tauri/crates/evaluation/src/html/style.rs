//! The style sheet of a report. It uses the colours of the application's themes.

const DARK: &str = "color-scheme:dark;--bg:#0c0c10;--panel:#16161c;--raised:#1d1d25;--inset:#101015;\
--line-1:#24242d;--line-2:#31313d;--text-1:#ededf3;--text-2:#b4b4c2;--text-3:#9191a3;\
--accent:#85a8ff;--accent-soft:rgba(133,168,255,.14);--accent-line:rgba(133,168,255,.45);\
--loop:#b48df2;--loop-soft:rgba(180,141,242,.16);--loop-line:rgba(180,141,242,.38);\
--done:#55ca8c;--done-soft:rgba(85,202,140,.14);--failed:#ff7373;--failed-soft:rgba(255,115,115,.14);\
--waiting:#f1b650;--waiting-soft:rgba(241,182,80,.14);";

const LIGHT: &str = "color-scheme:light;--bg:#ebebf0;--panel:#fcfcfd;--raised:#f1f1f5;--inset:#f3f3f7;\
--line-1:#e7e7ed;--line-2:#d6d6df;--text-1:#1a1a21;--text-2:#484856;--text-3:#646473;\
--accent:#2b57d0;--accent-soft:rgba(47,92,214,.10);--accent-line:rgba(47,92,214,.45);\
--loop:#7440b8;--loop-soft:rgba(116,64,184,.12);--loop-line:rgba(116,64,184,.35);\
--done:#146c44;--done-soft:rgba(23,116,74,.10);--failed:#bb2029;--failed-soft:rgba(196,38,46,.09);\
--waiting:#8a5a00;--waiting-soft:rgba(176,118,0,.12);";

const RULES: &str = r#"
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text-1);font:13px/1.6 Inter,"Inter Variable",system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1080px;margin:0 auto;padding:24px 20px 64px}
header{display:flex;gap:20px;align-items:flex-start;justify-content:space-between;flex-wrap:wrap}
h1{font-size:20px;line-height:1.25;font-weight:600;margin:0}
h2{font-size:15px;line-height:1.25;font-weight:600;margin:0 0 4px}
h3{font-size:13px;font-weight:600;margin:0}
p{margin:0}
a{color:var(--accent)}
.facts{color:var(--text-3);font-size:12px;margin-top:4px}
.finding{font-size:20px;line-height:1.4;font-weight:500;margin:20px 0;padding:16px 20px;background:var(--panel);border:1px solid var(--line-2);border-left:3px solid var(--accent);border-radius:10px;text-wrap:pretty;overflow-wrap:anywhere}
section{background:var(--panel);border:1px solid var(--line-1);border-radius:10px;padding:16px 20px;margin-top:16px}
.hint{color:var(--text-3);font-size:12px;margin-bottom:12px;max-width:110ch}
.theme{display:flex;border:1px solid var(--line-2);border-radius:8px;overflow:hidden;margin:0;padding:0;font-size:12px}
.theme label{padding:4px 10px;cursor:pointer;color:var(--text-2);min-height:28px}
.theme label:has(:checked){background:var(--accent-soft);color:var(--accent)}
.theme label:has(:focus-visible){outline:2px solid var(--accent);outline-offset:-2px}
.theme input,.theme legend{position:absolute;opacity:0;pointer-events:none;width:1px;height:1px;overflow:hidden}
.scroll{overflow-x:auto}
.scroll:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
table{border-collapse:collapse;width:100%;font-size:12px}
th{font-weight:500;color:var(--text-3);text-align:right;vertical-align:bottom;padding:4px 10px;border-bottom:1px solid var(--line-2);white-space:nowrap}
td{text-align:right;padding:5px 10px;border-bottom:1px solid var(--line-1);vertical-align:top;white-space:nowrap}
tbody tr:last-child td,tbody tr:last-child th{border-bottom:0}
th:first-child,td:first-child{text-align:left;padding-left:0}
th:last-child,td:last-child{padding-right:0}
tbody th{color:var(--text-1);vertical-align:top;padding-top:5px;padding-bottom:5px;border-color:var(--line-1);white-space:normal;overflow-wrap:anywhere;min-width:120px}
th.group{text-align:center;color:var(--text-2);white-space:normal}
th.first,td.first{border-left:1px solid var(--line-2)}
th.first{text-align:right;padding-left:10px}th.group.first{text-align:center}
.long tbody th{min-width:220px}
.sub{display:block;color:var(--text-3);font-size:11px;font-weight:400}
.none{color:var(--text-3)}
.chip{display:inline-block;padding:0 8px;border-radius:999px;font-size:11px;line-height:20px;font-weight:500;background:var(--raised);color:var(--text-2)}
.chip.good{background:var(--done-soft);color:var(--done)}
.chip.bad{background:var(--failed-soft);color:var(--failed)}
.chip.open{background:var(--waiting-soft);color:var(--waiting)}
details{margin-top:12px}
summary{cursor:pointer;color:var(--text-2);font-size:12px;min-height:24px;line-height:24px;width:max-content;max-width:100%}
details[open]>summary{margin-bottom:8px}
.charts>figure{max-width:600px}.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:24px}
figure{margin:0;min-width:0}
figcaption{margin-bottom:8px}
.wide{margin-top:16px}.wide svg{min-width:720px}
svg{display:block;width:100%;height:auto}
svg text{font:11px Inter,"Inter Variable",system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif;fill:var(--text-3);font-variant-numeric:tabular-nums}
svg .strong{fill:var(--text-1);font-weight:500}
svg .value{fill:var(--text-2)}
svg .iteration{fill:var(--loop);font-weight:500}
.grid{stroke:var(--line-1)}.zero{stroke:var(--text-3)}
.band{fill:var(--loop-soft)}.curve{fill:none;stroke:var(--loop);stroke-width:2;stroke-linejoin:round}
.point{fill:var(--loop);stroke:var(--panel);stroke-width:1.5}
.knee{stroke:var(--loop);stroke-dasharray:3 4}.ring{fill:none;stroke:var(--text-1);stroke-width:1.5}
.bar{fill:var(--loop-soft);stroke:var(--loop-line)}
.margin{fill:var(--accent-soft)}
.better{stroke:var(--done);fill:var(--done)}.worse{stroke:var(--failed);fill:var(--failed)}.unclear{stroke:var(--text-2);fill:var(--text-2)}
.whisker{stroke-width:2}
ul{margin:0;padding:0;list-style:none}
ul.notes{padding-left:16px;list-style:disc}
ul.notes li{margin-top:2px;overflow-wrap:anywhere}
li.check{display:grid;grid-template-columns:80px 1fr;align-items:baseline;padding:4px 0;overflow-wrap:anywhere}
@media (prefers-contrast:more){:root{--line-1:var(--text-3);--line-2:var(--text-3);--text-3:var(--text-2)}}
@media print{main{max-width:none;padding:0}section{break-inside:avoid}section.long{break-inside:auto}.theme{display:none}}
"#;

/// Returns the style sheet of the page. The page is dark by default and light if the reader or the system prefers that. A print
/// style is included.
pub(super) fn style() -> String {
    format!(
        ":root{{{DARK}}}\n\
         @media (prefers-color-scheme:light){{:root:not(:has(#theme-dark:checked)){{{LIGHT}}}}}\n\
         :root:has(#theme-light:checked){{{LIGHT}}}\n\
         @media print{{:root:root:root{{{LIGHT}}}}}{RULES}"
    )
}
