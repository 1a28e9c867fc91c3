// The charts of an evaluation.
import type { ComponentChildren } from "preact";
import { compact, duration, general, percent } from "./figures";

/** In the order of their costs. */
export type Points = [number, number][];

const WIDTH = 440, HEIGHT = 250, LEFT = 46, RIGHT = 428, TOP = 12, BOTTOM = 208;
const at = (x: number) => x.toFixed(1);

function Label({ x, y, anchor, text }: { x: number; y: number; anchor: "start" | "middle" | "end"; text: string | number }) {
  return <text x={at(x)} y={at(y)} text-anchor={anchor}>{text}</text>;
}

function Line({ x1, y1, x2, y2 }: { x1: number; y1: number; x2: number; y2: number }) {
  return <line class="grid" x1={at(x1)} y1={at(y1)} x2={at(x2)} y2={at(y2)} />;
}

function Picture({ what, children }: { what: string; children: ComponentChildren }) {
  return <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={what}>{children}</svg>;
}

/** 1, 2, 5, 10, …, else powers of ten, else every few powers of ten: at most seven. */
function logTicks(low: number, high: number): number[] {
  const among = (factors: number[]) => {
    const ticks: number[] = [];
    for (let power = 10 ** Math.floor(Math.log10(low)); power <= high * 1.001; power *= 10) {
      ticks.push(...factors.map((factor) => power * factor).filter((t) => t >= low * 0.999 && t <= high * 1.001));
    }
    return ticks;
  };
  const fine = among([1, 2, 5]);
  if (fine.length <= 7) return fine;
  const coarse = among([1]), step = 1 + Math.floor((coarse.length - 1) / 7);
  return coarse.filter((_, i) => i % step === 0);
}

const most = (curve: Points) => curve[curve.length - 1]?.[0] ?? 0;
const leastPositive = (curve: Points) => curve.find(([cost]) => cost > 0)?.[0] ?? Infinity;

/** Pass rate against cost on a logarithmic axis that ends at `furthest`; a cost of 0 is drawn at its left end. Null if nothing can be drawn. */
export function passChart(curves: { points: Points; style: string }[], furthest: number | null, name: string) {
  const all = curves.map(({ points }) => points);
  const end = furthest ?? Math.max(...all.map(most));
  let low = Math.min(end, ...all.map(leastPositive)), high = Math.max(end, low);
  if (low <= 0 || all.every((points) => points.length === 0)) return null;
  if (high < low * 2) [low, high] = [low / 2, high * 2];
  const best = Math.max(...all.flatMap((points) => (points.length === 0 ? [] : [points[points.length - 1][1]])));
  const highest = [0.05, 0.1, 0.2, 0.25, 0.5].find((rate) => best <= rate) ?? 1;
  const x = (cost: number) => (cost <= low ? LEFT : LEFT + ((RIGHT - LEFT) * Math.log(cost / low)) / Math.log(high / low));
  const y = (rate: number) => TOP + (BOTTOM - TOP) * (1 - rate / highest);
  return (
    <Picture what={`Pass rate against ${name}: ${percent(best)} at ${compact(end)}`}>
      {[0, 1, 2, 3, 4, 5].map((i) => (highest * i) / 5).map((rate) => (
        <><Line x1={LEFT} y1={y(rate)} x2={RIGHT} y2={y(rate)} /><Label x={LEFT - 6} y={y(rate) + 4} anchor="end" text={`${general(100 * rate, 4)}%`} /></>
      ))}
      {logTicks(low, high).map((tick) => (
        <><Line x1={x(tick)} y1={TOP} x2={x(tick)} y2={BOTTOM} /><Label x={x(tick)} y={BOTTOM + 16} anchor="middle" text={compact(tick)} /></>
      ))}
      <Label x={(LEFT + RIGHT) / 2} y={HEIGHT - 6} anchor="middle" text={`${name} (log axis)`} />
      {curves.map(({ points, style }) => (
        <path class={`curve ${style}`.trim()} d={`M${at(LEFT)} ${at(y(0))}${points.map(([cost, rate]) => `H${at(x(cost))}V${at(y(rate))}`).join("")}H${at(RIGHT)}`} />
      ))}
    </Picture>
  );
}

/** How many of `all` problems were solved, over the time of the evaluation. */
export function timeChart(solved: number[], length: number, all: number) {
  if (solved.length === 0 || length <= 0) return null;
  const x = (seconds: number) => LEFT + ((RIGHT - LEFT) * seconds) / length;
  const y = (count: number) => TOP + (BOTTOM - TOP) * (1 - count / all);
  return (
    <Picture what={`${solved.length} of ${all} problems solved within ${duration(length)}`}>
      {[...new Set([0, Math.round(all / 2), all])].map((count) => (
        <><Line x1={LEFT} y1={y(count)} x2={RIGHT} y2={y(count)} /><Label x={LEFT - 6} y={y(count) + 4} anchor="end" text={count} /></>
      ))}
      {[0, length / 2, length].map((seconds) => <Label x={Math.min(x(seconds), RIGHT - 16)} y={BOTTOM + 16} anchor="middle" text={duration(seconds)} />)}
      <Label x={(LEFT + RIGHT) / 2} y={HEIGHT - 6} anchor="middle" text="since the first result" />
      <path class="curve" d={`M${at(LEFT)} ${at(y(0))}${solved.map((seconds, i) => `H${at(x(seconds))}V${at(y(i + 1))}`).join("")}H${at(RIGHT)}`} />
    </Picture>
  );
}

/** Proof lengths in lines: 1, 2, 3–4, 5–8, …. */
export function lengthChart(lengths: number[]) {
  if (lengths.length === 0) return null;
  const bins: number[] = [];
  for (const length of lengths) {
    const bin = Math.ceil(Math.log2(Math.max(length, 1)));
    while (bins.length <= bin) bins.push(0);
    ++bins[bin];
  }
  const step = (RIGHT - LEFT) / bins.length;
  return (
    <Picture what={`Lengths of ${lengths.length} proofs`}>
      <Line x1={LEFT} y1={BOTTOM} x2={RIGHT} y2={BOTTOM} />
      {bins.map((count, bin) => {
        const tall = ((BOTTOM - TOP - 16) * count) / Math.max(...bins), x = LEFT + step * bin;
        const first = bin === 0 ? 1 : 2 ** (bin - 1) + 1, last = 2 ** bin;
        return (
          <>
            <rect class="bar" x={at(x + step * 0.1)} y={at(BOTTOM - tall)} width={at(step * 0.8)} height={at(tall)} />
            <Label x={x + step / 2} y={BOTTOM + 16} anchor="middle" text={first === last ? first : `${first}–${last}`} />
            <Label x={x + step / 2} y={BOTTOM - tall - 4} anchor="middle" text={count} />
          </>
        );
      })}
      <Label x={(LEFT + RIGHT) / 2} y={HEIGHT - 6} anchor="middle" text="lines of the proof" />
    </Picture>
  );
}
