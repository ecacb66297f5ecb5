export type StorageTables = {
  /** Ids in the order of commits: the row is updated late in its transaction, and stays locked until the commit. */
  counters: { name: string; value: number }

  /** Facts about the installation: its secret, the epoch of its event queues. */
  installation: { name: string; value: string }
}
