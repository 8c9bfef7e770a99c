/** The page's one style sheet. Colours are variables, so that drawings and text change together between light and dark. */

const LIGHT = {
  paper: '#ffffff',
  panel: '#f6f7f8',
  ink: '#16191d',
  soft: '#5a626c',
  rule: '#dfe3e7',
  grid: '#e9ecef',
  good: '#0a6b4c',
  bad: '#b03a00',
  'good-wash': '#e3f3ec',
  'bad-wash': '#fbe9df',
  c0: '#7a838e',
  c1: '#0067a8',
  c2: '#c65500',
  c3: '#008a65',
  c4: '#a6507f',
  c5: '#8a7400',
  cn: '#b9c0c8',
}

const DARK: typeof LIGHT = {
  paper: '#14171a',
  panel: '#1c2024',
  ink: '#e6e9ec',
  soft: '#9aa4ae',
  rule: '#30363c',
  grid: '#262b30',
  good: '#58c79b',
  bad: '#f2935a',
  'good-wash': '#173a2d',
  'bad-wash': '#43281a',
  c0: '#98a2ad',
  c1: '#5ab4ee',
  c2: '#f0924a',
  c3: '#3dbd92',
  c4: '#d58ab3',
  c5: '#cdb84a',
  cn: '#5a646e',
}

export function styleSheet(): string {
  return [
    `:root{color-scheme:light dark;${variables(LIGHT)}}`,
    `@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${variables(DARK)}}}`,
    `:root[data-theme=dark]{color-scheme:dark;${variables(DARK)}}`,
    ':root[data-theme=light]{color-scheme:light}',
    PAGE,
    TABLES,
    DRAWINGS,
    PARTS,
    NARROW,
    `@media print{:root,:root[data-theme]{color-scheme:light;${variables(LIGHT)}}${PRINT}}`,
  ].join('\n')
}

/** What a drawing needs outside the page: many programs that show one know no variables, so colours stand in their place. */
export function drawingStyle(): string {
  const style = `svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}${DRAWINGS}.ground{fill:var(--paper)}.chart .title{font-size:13px;font-weight:600}`
  return style.replace(/var\(--([\w-]+)\)/g, (_, name: keyof typeof LIGHT) => LIGHT[name])
}

function variables(colours: Record<string, string>): string {
  return Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';')
}

const PAGE = `
*{box-sizing:border-box}
html{scroll-behavior:smooth}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1080px;margin:0 auto;padding:44px 20px 80px}
h1{font-size:30px;line-height:1.2;margin:0 0 14px;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:20px;line-height:1.3;margin:0 0 14px;letter-spacing:-.005em}
h3{font-size:13px;margin:0 0 6px}
p{margin:0 0 14px;max-width:78ch}
ul{margin:0 0 14px;padding-left:20px;max-width:82ch}
li{margin:3px 0}
main>section{margin-top:52px;padding-top:22px;border-top:1px solid var(--rule)}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--panel);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
small{display:block;color:var(--soft);font-size:12px;font-weight:400;line-height:1.4}
.eyebrow{margin:0 0 6px;color:var(--soft);font-size:13px}
.verdict{font-size:18px;line-height:1.55;max-width:68ch;margin-bottom:18px}
.facts{list-style:none;padding:0;margin:0;display:flex;flex-wrap:wrap;gap:2px 18px;color:var(--soft);font-size:13px;max-width:none}
.note{color:var(--soft);font-size:13px;max-width:95ch}
.quiet{color:var(--soft)}
.good{color:var(--good)}
.bad{color:var(--bad)}
#theme{float:right;width:32px;height:32px;border:1px solid var(--rule);border-radius:50%;background:none;color:var(--soft);font-size:15px;line-height:1;cursor:pointer}
nav{display:flex;flex-wrap:wrap;gap:4px 16px;margin-top:22px;font-size:13px}
nav a{color:var(--c1);text-decoration:none}
nav a:hover{text-decoration:underline}
`

const TABLES = `
.scroll{overflow-x:auto;margin:0 0 16px}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:7px 12px;border-bottom:1px solid var(--rule);vertical-align:top;text-align:left;font-weight:400}
th:first-child,td:first-child{padding-left:0}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--soft);font-size:12.5px;vertical-align:bottom;border-bottom-color:var(--soft)}
.right{text-align:right}
td.strong,th.strong{font-weight:600}
td.good,td.bad{font-weight:600}
tr.groups td{border:0}
tr.groups th{border-bottom:1px solid var(--rule);padding-bottom:3px;text-align:right}
tbody tr:last-child>*{border-bottom:0}
`

const DRAWINGS = `
.figures{display:grid;gap:26px 36px;margin:0 0 22px}
.per-2{grid-template-columns:repeat(2,minmax(0,1fr))}
.per-3{grid-template-columns:repeat(3,minmax(0,1fr))}
figure{margin:0;min-width:0;break-inside:avoid}
figcaption{margin-bottom:8px;font-size:13px;color:var(--soft)}
figcaption b{color:var(--ink);font-weight:600;margin-right:8px}
.chart{display:block;width:100%;height:auto;overflow:visible}
.chart text{font-size:12px;fill:var(--ink)}
.chart .label,.chart .tick{fill:var(--soft)}
.chart .heading{fill:var(--soft);font-size:12.5px}
.chart .value{font-weight:600}
.chart .value .tick{font-weight:400;font-size:11px}
.chart .inside{fill:var(--paper);font-weight:600}
.chart .small{font-size:11px;font-weight:400}
.grid{stroke:var(--grid)}
.axis{stroke:var(--soft);stroke-opacity:.55}
.line{fill:none;stroke:currentColor;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}
.faint{stroke-width:1.2;stroke-opacity:.25}
.raw{fill:currentColor;fill-opacity:.34}
.dot,.bar{fill:currentColor}
.behind{fill:currentColor;fill-opacity:.28}
.whisker{stroke:currentColor;stroke-width:2.4;stroke-linecap:round;stroke-opacity:.6}
.chart .name{fill:currentColor;font-weight:600}
.c0{color:var(--c0)}.c1{color:var(--c1)}.c2{color:var(--c2)}.c3{color:var(--c3)}.c4{color:var(--c4)}.c5{color:var(--c5)}.cn{color:var(--cn)}
`

const PARTS = `
.predictions{display:grid;gap:14px}
.prediction{background:var(--panel);border-radius:8px;padding:14px 18px 6px;break-inside:avoid}
.prediction p{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;max-width:none;margin-bottom:8px}
.prediction code{background:var(--paper);font-weight:600}
.kind{font-size:12px;color:var(--soft);border:1px solid var(--rule);border-radius:99px;padding:0 9px}
.prediction th{width:170px;color:var(--soft);font-size:13px}
.prediction td{overflow-wrap:anywhere;white-space:pre-line}
.prediction td:last-child{width:130px;text-align:right;font-size:13px;white-space:nowrap}
del{color:var(--bad);background:var(--bad-wash);text-decoration-thickness:1.5px;border-radius:3px;padding:0 2px}
ins{color:var(--good);background:var(--good-wash);text-decoration:underline;text-decoration-thickness:1.5px;text-underline-offset:3px;border-radius:3px;padding:0 2px}
.settings{columns:2;column-gap:48px}
.settings section{break-inside:avoid;margin:0 0 22px}
.settings table{font-size:13px}
.settings th,.settings td{padding:3px 8px}
.settings th:first-child{padding-left:0;width:46%}
.settings th{color:var(--soft);overflow-wrap:anywhere}
.settings td{overflow-wrap:anywhere}
.settings td:last-child{width:64px;padding-right:0;text-align:right;overflow-wrap:normal}
.source{white-space:nowrap;font-size:11.5px;border-radius:4px;padding:0 6px;border:1px solid currentColor}
.source.paper{color:var(--c1)}.source.ours{color:var(--soft)}.source.user{color:var(--c2)}
.commands{margin:0;display:grid;grid-template-columns:minmax(220px,auto) 1fr;gap:8px 20px}
.commands dt{color:var(--soft)}
.commands dd{margin:0}
`

const NARROW = `
@media screen and (max-width:760px){
main{padding:24px 16px 60px}
h1{font-size:25px}
.verdict{font-size:16.5px}
.figures{grid-template-columns:minmax(0,1fr)}
.per-3 figure{max-width:360px}
.scroll .right{white-space:nowrap}
.scroll th:first-child{min-width:116px}
.settings{columns:1}
.commands{grid-template-columns:1fr;gap:2px}
.commands dd{margin-bottom:10px}
.prediction tr{display:block;padding:6px 0;border-bottom:1px solid var(--rule)}
.prediction th,.prediction td,.prediction td:last-child{display:block;width:auto;text-align:left;padding:1px 0;border:0}
}
`

const PRINT = `
body{font-size:11px}
main{max-width:none;padding:0}
main>section{margin-top:24px;padding-top:14px}
#theme,nav{display:none}
h1{font-size:22px}
h2{font-size:16px;break-after:avoid}
.verdict{font-size:13px}
table,figcaption,.note,.facts,.prediction th,.settings table{font-size:10.5px}
small,thead th,.prediction td:last-child{font-size:9.5px}
th,td{padding:4px 8px}
.right{white-space:nowrap}
.scroll{overflow:visible}
tr{break-inside:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
`
