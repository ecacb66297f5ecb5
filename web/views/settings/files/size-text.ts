const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Returns a file size such as "1.4 MB"; a kilobyte has 1,000 bytes. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.max(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), 0), UNITS.length - 1)
  const value = bytes / 1000 ** power
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[power]!,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && power > 0 ? 1 : 0,
  }).format(value)
}
