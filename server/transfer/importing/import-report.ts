/** Something that did not come, or came changed. */
export type SkippedItem = { what: string; count: number; why: string }

/** Gathers what does not come: nothing is left out without being told. */
export type ImportReport = {
  add(what: string, why: string, count?: number): void
  list(): SkippedItem[]
}

export function openImportReport(): ImportReport {
  const losses = new Map<string, SkippedItem>()
  return {
    add(what, why, count = 1) {
      if (count === 0) return
      const key = `${what}\n${why}`
      const loss = losses.get(key) ?? { what, count: 0, why }
      losses.set(key, { ...loss, count: loss.count + count })
    },
    list: () => [...losses.values()],
  }
}

/** Notes the permissions of a row that are set and that nothing here has. */
export function reportUnknownPermissions(
  row: Readonly<Record<string, unknown>>,
  known: readonly string[],
  losses: ImportReport,
): void {
  for (const [name, value] of Object.entries(row))
    if (/^can_\w+$/.test(name) && typeof value === 'number' && !known.includes(name))
      losses.add(`the permission ${name}`, 'there is no such permission here')
}
