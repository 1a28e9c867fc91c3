// Numbers as an evaluation's other outputs print them: as C's %g and %.1f, where a tie goes to the even digit.

export function general(x: number, digits: number): string {
  const exact = x.toExponential(40), kept = exact.slice(0, digits + 1);
  const down = /^50*e/.test(exact.slice(digits + 1)) && "02468".includes(kept[digits]);
  const rounded = down ? kept + exact.slice(exact.indexOf("e")) : x.toExponential(digits - 1);
  const [mantissa, exponent] = rounded.split("e");
  if (Number(exponent) >= -4 && Number(exponent) < digits) return String(Number(rounded));
  return `${Number(mantissa)}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

export function fixed(x: number): string {
  return (x % 1 === 0.25 ? Math.floor(x) + 0.2 : x).toFixed(1);
}

export function percent(rate: number): string {
  return `${fixed(100 * rate)} %`;
}

export function money(dollars: number): string {
  return `$${general(dollars, 4)}`;
}

export function compact(x: number): string {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (x >= size) return general(x / size, 3) + unit;
  }
  return general(x, 4);
}

export function duration(s: number): string {
  return s < 60 ? `${fixed(s)} s` : s < 3600 ? `${fixed(s / 60)} min` : `${fixed(s / 3600)} h`;
}

export function countLines(text: string): number {
  return text.split("\n").filter((line) => /[^ \t\r]/.test(line)).length;
}
