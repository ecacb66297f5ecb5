export type PresenceTables = {
  presences: {
    userId: number
    realmId: number
    lastActiveAt: number | null
    lastConnectedAt: number | null
    updateId: number
  }

  /** No update id above the ceiling was ever used. */
  presenceCeilings: { realmId: number; ceiling: number }

  /** Users who hide their presence until `endsAt`. The server then shows it again. */
  hiddenPresences: { userId: number; endsAt: number }

  /** The times at which users used their clients, for usage statistics. */
  activityIntervals: { userId: number; startedAt: number; endedAt: number }
}
