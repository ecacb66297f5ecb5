/** An item that was skipped or changed. */
export type SkippedItem = { what: string; count: number; why: string }

/** Collects all skipped and changed items for the report. */
export type ImportReport = {
  add(what: string, why: string, count?: number): void
  list(): SkippedItem[]
}

export function openImportReport(): ImportReport {
  const report = new Map<string, SkippedItem>()
  return {
    add(what, why, count = 1) {
      if (count === 0) return
      const key = `${what}\n${why}`
      const item = report.get(key) ?? { what, count: 0, why }
      report.set(key, { ...item, count: item.count + count })
    },
    list: () => [...report.values()],
  }
}

/** Reports the permissions of a row that are set but not supported. */
export function reportUnknownPermissions(
  row: Readonly<Record<string, unknown>>,
  known: readonly string[],
  report: ImportReport,
): void {
  for (const [name, value] of Object.entries(row))
    if (/^can_\w+$/.test(name) && typeof value === 'number' && !known.includes(name))
      report.add(`the permission ${name}`, 'this permission is not supported')
}
