import { useSyncExternalStore } from 'react'
import type { Row } from './rows.ts'

let leaving: readonly Row[] = []
const listeners = new Set<() => void>()

function change(next: readonly Row[]): void {
  leaving = next
  for (const listener of listeners) listener()
}

const isSame = (one: Row) => (other: Row) => one.id === other.id && one.kind === other.kind

/** Hides invitations that are being withdrawn, wherever one goes meanwhile. */
export const hideRows = (rows: readonly Row[]): void => change([...leaving, ...rows])

export const showRows = (rows: readonly Row[]): void => change(leaving.filter((row) => !rows.some(isSame(row))))

/** The invitations that are not being withdrawn. */
export function useStaying(rows: readonly Row[]): readonly Row[] {
  const hidden = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => leaving,
  )
  const keys = new Set(hidden.map(({ kind, id }) => `${kind} ${id}`))
  return rows.filter(({ kind, id }) => !keys.has(`${kind} ${id}`))
}
