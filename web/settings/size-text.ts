import { t } from '../text/t.ts'

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

/** Returns a size in bytes with a unit that fits. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return t('{bytes, plural, one {# byte} other {# bytes}}', { bytes })
  if (bytes < 1024 ** 2) return t('{size, number} KiB', { size: Math.round(bytes / 1024) })
  if (bytes < 1024 ** 3) return t('{size, number} MiB', { size: tenths(bytes / 1024 ** 2) })
  return t('{size, number} GiB', { size: tenths(bytes / 1024 ** 3) })
}

const tenths = (value: number) => Math.round(value * 10) / 10
