/** How the page of an audit looks: by day, by night, on a phone, on paper. Nothing comes from elsewhere. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#f6f5f1;--card:#fff;--ink:#1c1b19;--soft:#5f5c55;--line:#e2dfd6;--verified:#12805c;--stale:#b7791f;--failed:#c2352b;--masked:#6d4bc4;--never_ran:#8a877f}
@media (prefers-color-scheme:dark){:root{--bg:#131311;--card:#1d1c1a;--ink:#f1efe8;--soft:#a8a499;--line:#33312c;--verified:#3fbf8f;--stale:#e0ab4d;--failed:#f0776c;--masked:#a78bfa;--never_ran:#8d897f}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.5 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:60rem;margin:0 auto;padding:clamp(1.25rem,4vw,3.5rem) clamp(1rem,4vw,2rem)}
header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1rem;color:var(--soft);font-size:.9rem}
header strong{color:var(--ink);letter-spacing:.01em}
h1{font-size:inherit;font-weight:inherit;margin:0}
h2{font-size:1rem;margin:0 0 1rem;letter-spacing:.01em}
.hero{display:grid;grid-template-columns:auto 1fr;gap:clamp(1rem,4vw,2.5rem);align-items:center;margin:clamp(1.5rem,5vw,3rem) 0 1.5rem}
.figure{font-size:clamp(4.5rem,17vw,9.5rem);line-height:.9;font-weight:750;letter-spacing:-.05em;font-variant-numeric:tabular-nums}
.figure small{font-size:.45em;font-weight:600;letter-spacing:0;margin-left:.08em}
.said{font-size:clamp(1.1rem,2.6vw,1.5rem);line-height:1.35;max-width:24em;text-wrap:balance}
.said span{display:block;color:var(--soft);font-size:.68em;margin-top:.6em}
.bar{display:flex;gap:2px;height:1.1rem;border-radius:.4rem;overflow:hidden}
.bar i{display:block;min-width:3px}
.hero+.bar{height:1.75rem;margin-bottom:1.25rem}
.verified{background:var(--verified)}.stale{background:var(--stale)}.failed{background:var(--failed)}.masked{background:var(--masked)}.never_ran{background:var(--never_ran)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(10.2rem,1fr));gap:.75rem;list-style:none;padding:0;margin:0 0 1.25rem}
.cards li,section{background:var(--card);border:1px solid var(--line);border-radius:.9rem}
.cards li{padding:1rem 1.1rem}
.cards b{display:block;font-size:1.9rem;line-height:1.15;font-variant-numeric:tabular-nums}
.cards b small{font-size:.85rem;font-weight:500;color:var(--soft);margin-left:.45rem}
.name{display:flex;align-items:center;gap:.5rem;font-weight:600}
.name::before{content:"";width:.75rem;height:.75rem;border-radius:.2rem;background:var(--c)}
.cards p{margin:.35rem 0 0;color:var(--soft);font-size:.86rem;line-height:1.35}
section{padding:1.25rem 1.4rem;margin:0 0 1.25rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}
td,th{padding:.34rem .6rem .34rem 0;text-align:left;vertical-align:middle;font-weight:400}
th{white-space:nowrap;max-width:16rem;overflow:hidden;text-overflow:ellipsis}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;color:var(--soft);padding-right:0;padding-left:.6rem}
td.wide{width:60%}
.weeks{display:flex;align-items:flex-end;gap:clamp(.2rem,1vw,.6rem);height:11rem;padding:0;margin:0;list-style:none}
.weeks li{flex:1 1 0;min-width:0;display:flex;flex-direction:column;justify-content:flex-end;height:100%;text-align:center}
.stack{display:flex;flex-direction:column-reverse;gap:2px;border-radius:.3rem;overflow:hidden;max-width:3.5rem;width:100%;margin:0 auto}
.stack i{display:block;min-height:2px}
.weeks span{font-size:.72rem;color:var(--soft);margin-top:.4rem;white-space:nowrap}
.weeks em{font-style:normal;font-size:.72rem;color:var(--soft);font-variant-numeric:tabular-nums}
.do{border:0;background:var(--ink);color:var(--bg)}
.do p{margin:0 0 .8rem;max-width:44em}
.do p:last-child{margin:.8rem 0 0;opacity:.72;font-size:.88rem}
code{font:600 1.15rem ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.do code{display:inline-block;padding:.5rem .9rem;border-radius:.5rem;background:color-mix(in srgb,var(--bg) 14%,transparent)}
.turn{padding:.7rem 0;border-top:1px solid var(--line);font-size:.9rem;overflow-wrap:anywhere}
.turn code,td code{font-weight:400;font-size:.85em}
.turn div{color:var(--soft)}
footer{color:var(--soft);font-size:.84rem;max-width:52em}
@media (max-width:36rem){.hero{grid-template-columns:1fr}.weeks span{writing-mode:vertical-rl;margin:.4rem auto 0;height:4.2em}.weeks{height:14rem}td.wide{width:45%}}
@media print{body{background:#fff}section,.cards li{break-inside:avoid}}
`;
