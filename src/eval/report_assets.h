// The style sheet and the script of report.html.
#pragma once

#include <string_view>

namespace zermelo::eval {

inline constexpr std::string_view kReportStyle = R"css(
:root { color-scheme: light dark; --back: #fff; --fore: #1c2024; --soft: #60656c; --line: #dfe2e6;
  --card: #f6f7f9; --accent: #2457c5; --good: #14703f; --bad: #a3341f; --warn: #fff1d6; }
@media (prefers-color-scheme: dark) { :root { --back: #14161a; --fore: #e6e8eb; --soft: #9ba1a9;
  --line: #30343a; --card: #1d2026; --accent: #86aaff; --good: #5fce94; --bad: #ff9a85; --warn: #43351a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--back); color: var(--fore);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: .95rem; margin: 0 0 .25rem; }
p { margin: .25rem 0; } .soft { color: var(--soft); }
.first { font-size: 1.1rem; font-weight: 600; } .warn { background: var(--warn); padding: .5rem; border-radius: .4rem; }
.tiles, .charts { display: grid; gap: .75rem; margin: 1rem 0; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
.charts { grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); }
.tile, .chart { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
.tile b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--soft); font-size: 12px; } .grid { stroke: var(--line); }
.curve { fill: none; stroke: var(--accent); stroke-width: 2.5; } .bar { fill: var(--accent); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem .3rem 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: break-word; } th { color: var(--soft); font-weight: 500; }
progress { width: 8rem; height: .6rem; accent-color: var(--accent); }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; margin: .25rem 0 .75rem;
  overflow-x: auto; font: .85rem/1.45 ui-monospace, monospace; white-space: pre; overflow-wrap: normal; unicode-bidi: isolate; }
.tools { display: flex; flex-wrap: wrap; gap: .5rem; margin: .5rem 0; } [hidden] { display: none !important; }
input, select, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: .4rem; padding: .3rem .5rem; min-width: 0; } input { flex: 1 1 12rem; }
button { cursor: pointer; } button[aria-pressed=true] { border-color: var(--accent); }
.problem { border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2.4rem; }
.problem > summary { display: grid; grid-template-columns: minmax(0, 4fr) minmax(0, 3fr) 6.5rem repeat(5, 4.6rem);
  gap: .5rem; padding: .35rem 0; cursor: pointer; font-variant-numeric: tabular-nums; }
.problem > summary span { text-align: right; unicode-bidi: isolate; } .problem > summary span:nth-child(-n+3) { text-align: left; }
.names { color: var(--soft); display: grid; grid-template-columns: minmax(0, 4fr) minmax(0, 3fr) 6.5rem repeat(5, 4.6rem);
  gap: .5rem; border-bottom: 1px solid var(--line); } .names span { text-align: right; }
.names span:nth-child(-n+3) { text-align: left; }
.proved { color: var(--good); } .unproved, .unverified { color: var(--bad); } .invalid { color: var(--soft); }
.inside { padding: .25rem 0 .75rem; }
@media (max-width: 48rem) {
  #categories th:nth-child(4), #categories td:nth-child(4) { display: none; }
  #categories th { white-space: normal; overflow-wrap: normal; }
  .names { display: none; } .problem > summary { grid-template-columns: minmax(0, 1fr) auto; gap: 0 .5rem; }
  .problem > summary span:nth-child(n) { text-align: left; } .problem > summary span:nth-child(2) { grid-row: 2; color: var(--soft); }
  .problem > summary span:nth-child(3), .problem > summary span:nth-child(7) { text-align: right; }
  .problem > summary span:nth-child(n+4) { display: none; } .problem > summary span:nth-child(7) { display: block; color: var(--soft); }
}
)css";

inline constexpr std::string_view kReportScript = R"js(
'use strict';
(() => {
  const list = document.getElementById('problems');
  const tools = document.getElementById('tools');
  const shown = document.getElementById('shown');
  const [find, outcome, category] = ['find', 'outcome', 'category'].map(id => document.getElementById(id));
  const items = [...list.children];
  const filter = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const item of items) {
      const d = item.dataset;
      const hit = words.every(w => d.find.includes(w)) && (!outcome.value || d.outcome === outcome.value) &&
        (!category.value || d.category === category.value);
      item.hidden = !hit;
      count += hit;
    }
    shown.textContent = count + ' of ' + items.length;
  };
  let by = 'place', down = false;
  const sort = key => {
    down = key === by && !down;
    by = key;
    const text = key === 'name' || key === 'outcome' || key === 'category';
    const order = text ? (a, b) => a.dataset[key].localeCompare(b.dataset[key], undefined, { numeric: true })
                       : (a, b) => a.dataset[key] - b.dataset[key];
    items.sort((a, b) => (down ? -1 : 1) * order(a, b) || a.dataset.place - b.dataset.place);
    list.append(...items);
    for (const button of tools.querySelectorAll('button'))
      button.setAttribute('aria-pressed', button.dataset.key === key);
  };
  for (const input of [find, outcome, category]) input.addEventListener('input', filter);
  for (const button of tools.querySelectorAll('button')) button.addEventListener('click', () => sort(button.dataset.key));
  tools.hidden = false;
  filter();
})();
)js";

}  // namespace zermelo::eval
